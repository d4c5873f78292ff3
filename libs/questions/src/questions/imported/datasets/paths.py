"""The files of a record: templates filled from its columns."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from questions.imported.datasets.layout import DatasetLayout
from questions.imported.fields import Record, RecordUnusableError
from questions.imported.files import file_inside

STEM = "stem"
_FIELD = re.compile(r"\{(\w+)\}")


def files_of_record(record: Record, layout: DatasetLayout, root: Path, annotations: Path) -> dict[str, list[Path]]:
    """Return the files that a record names, by their template; raise `RecordUnusableError` if one is missing."""
    found: dict[str, list[Path]] = {}
    for columns, templates in _alternatives(layout.paths).items():
        filled = [_filled(template, columns, record, layout, annotations.stem) for template in templates]
        for options in zip(*filled, strict=True):
            found.setdefault(templates[0], []).append(_first_file(options, layout, root, annotations))
    return found


def _alternatives(templates: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for template in templates:
        columns = tuple(name for name in _FIELD.findall(template) if name != STEM)
        groups.setdefault(columns, []).append(template)
    return groups


def _filled(template: str, columns: Sequence[str], record: Record, layout: DatasetLayout, stem: str) -> list[str]:
    """Return a template with the values of its columns: one path for each value of the last, none if one is empty."""
    values = [_flat(record.get(name)) for name in columns]
    if not all(values):
        return []
    shared = {STEM: stem, **{name: value[0] for name, value in zip(columns, values, strict=True)}}
    last = columns[-1]
    return [template.format_map({**shared, last: str(each).removeprefix(layout.path_prefix)}) for each in values[-1]]


def _flat(value: Any) -> list[Any]:  # noqa: ANN401 - as it came
    """Return the names in a column, of lists of lists as well."""
    if isinstance(value, list):
        return [name for each in cast("list[Any]", value) for name in _flat(each)]
    return [] if value in (None, "") else [value]


def _first_file(options: Sequence[str], layout: DatasetLayout, root: Path, annotations: Path) -> Path:
    folders = dict.fromkeys((root, *(each for each in annotations.parents if each.is_relative_to(root))))
    for option in options:
        for folder in folders:
            if (folder / option).is_file():
                return file_inside(str(folder / option), root)
    fix = f"unpack {layout.unpack} in {root}" if layout.unpack else f"complete the copy of {layout.source} in {root}"
    raise RecordUnusableError(f"{options[0]} does not exist; {fix}")
