"""The folder of an imported benchmark."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import yaml

from benchmarks.benchmark_file import BenchmarkFile


def file_text(file: BenchmarkFile, source: str, assumed: tuple[str, ...]) -> str:
    """Return the text of benchmark.yaml, with what was assumed at its head."""
    content = cast("object", file.model_dump(mode="json", exclude_defaults=True))
    notes = [f"# Imported from {source}. Assumed:", *(f"# - {' '.join(each.split())}" for each in assumed)]
    return (
        "\n".join(notes)
        + "\n"
        + yaml.safe_dump(content, sort_keys=False, default_flow_style=None, allow_unicode=True, width=120)
    )


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new folder; raise `OSError` if it exists or cannot be written."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
