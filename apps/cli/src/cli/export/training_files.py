"""Files for training: a file of conversations for each split, their pictures, and a card with origin and licence."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from inspect import isclass
from pathlib import Path
from types import NoneType, TracebackType, UnionType
from typing import Any, Literal, Self, TextIO, get_args, get_origin
from uuid import UUID

from artifacts.port import ArtifactError, ArtifactStore
from contracts.models.artifact import ArtifactRef
from pydantic import BaseModel

from cli.export.redaction import Redaction
from cli.export.rows import ChatImage, ConversationRow, Row, RunRow
from cli.export.training_rows import (
    Origin,
    Split,
    TrlExample,
    VerifiersRollout,
    cleaned,
    file_of,
    split_of,
    trl_example,
    verifiers_rollout,
)

TrainingFormat = Literal["trl", "verifiers"]
_SHAPES: Mapping[TrainingFormat, tuple[type[BaseModel], Callable[[ConversationRow, float], BaseModel]]] = {
    "trl": (TrlExample, trl_example),
    "verifiers": (VerifiersRollout, verifiers_rollout),
}


_NOT_OF_THE_WORK = frozenset({"benchmark_invalid", "cancelled", "session_failed", "model_failed", "abandoned"})
"""Reasons of failures that say nothing about a role's work, so that its conversation has no reward."""


class TrainingWriter:
    """Writes the conversations of ended runs, without secrets and paths; other rows are left out."""

    def __init__(self, folder: Path, form: TrainingFormat, redaction: Redaction) -> None:
        self.folder = folder
        self._form: TrainingFormat = form
        self._redaction = redaction
        self._files: dict[Split, TextIO] = {}
        self._closing = ExitStack()
        self._left_out: set[UUID] = set()
        self.images: dict[str, ChatImage] = {}
        """By their files."""
        self.families: Counter[tuple[Split, str]] = Counter()
        """Conversations of each family."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.close()

    def write(self, row: Row) -> None:
        """Append a conversation to the file of its split; the row of its run comes first."""
        if isinstance(row, RunRow) and row.reason in _NOT_OF_THE_WORK:
            self._left_out.add(row.run_id)
        if not isinstance(row, ConversationRow) or row.reward is None or row.run_id in self._left_out:
            return
        _, shaped = _SHAPES[self._form]
        example = shaped(cleaned(row, self._redaction), row.reward)
        split = split_of(row.benchmark)
        if split not in self._files:
            file = (self.folder / f"{split}.jsonl").open("w", encoding="utf-8")
            self._files[split] = self._closing.enter_context(file)
        self._files[split].write(example.model_dump_json(exclude_none=True) + "\n")
        self.families[split, row.benchmark] += 1
        self.images |= {file_of(image): image for each in row.messages for image in each.images}

    async def write_pictures(self, artifacts: ArtifactStore) -> None:
        """Write each picture that still exists."""
        for file, image in self.images.items():
            ref = ArtifactRef(sha256=image.sha256, media_type=image.media_type, size_bytes=image.size_bytes)
            try:
                data = await artifacts.get(ref)
            except ArtifactError:
                continue
            path = self.folder / file
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)

    def card(self) -> str:
        """Return README.md: splits, columns with origin and licence, and what was removed."""
        row, _ = _SHAPES[self._form]
        splits = [
            f"      - split: {split}\n        path: {split}.jsonl"
            for split in ("train", "validation", "test")
            if split in self._files
        ]
        written = sum((self.folder / each).exists() for each in self.images)
        families = [f"| {name} | {split} | {number} |" for (split, name), number in sorted(self.families.items())]
        columns = [f"| `{name}` | {origin.source} | {origin.licence} |" for name, origin in origins(row).items()]
        removed = self._redaction.counts
        return "\n".join(
            [
                "---\npretty_name: Millwright conversations\ntags: [cad, robotics, agents, tool-calling]",
                f"dataset_info: {json.dumps({'features': features(row)})}",
                "configs:",
                "  - config_name: default\n    data_files:",
                *splits,
                "---\n# Millwright conversations",
                f"Written by the command `export --format {self._form}`: each row is the conversation of one role with "
                "its model in one run that has ended. Replies that could not be used are left out, and so are "
                "providers' reasoning blocks, and runs that were cancelled or failed for reasons besides the work.\n",
                f"Pictures: {written} of {len(self.images)} files exist; in texts they are links.",
                f"Removed: {removed['secrets']} secrets, {removed['paths']} paths of machines; they read `<secret>` "
                "and `<path>`. Pictures are not searched.\n",
                "Models' code is in these files as it was written: run none of it outside a sandbox.\n",
                "## Splits\nA family is a benchmark: all its worlds are in one split, by a digest of its name. Prompts "
                "may quote skills that were learnt in runs of other families.\n",
                "| family | split | rows |\n|---|---|---:|",
                *families,
                "\n## Columns\n| column | origin | licence |\n|---|---|---|",
                *columns,
                "",
            ]
        )


def features(row: type[BaseModel]) -> list[dict[str, object]]:
    """Return the columns as cards of `datasets` declare them: a split without pictures has the same types as others."""
    return [{"name": name, **_feature(info.annotation)} for name, info in row.model_fields.items()]


def _feature(annotation: Any) -> dict[str, object]:  # noqa: ANN401 - a type of any form
    (kind, *_) = [each for each in get_args(annotation) if each is not NoneType] or [annotation]
    if get_origin(annotation) is UnionType:
        return _feature(kind)
    if get_origin(annotation) is tuple:
        return {"list": features(kind) if isclass(kind) and issubclass(kind, BaseModel) else "json"}
    return {"dtype": {str: "string", int: "int64", float: "float64"}[annotation]}


def origins(row: type[BaseModel]) -> dict[str, Origin]:
    """Return the origin of each column; raise `ValueError` for one without."""
    return {name: _origin(info.metadata) for name, info in row.model_fields.items()}


def _origin(metadata: list[object]) -> Origin:
    (origin,) = (each for each in metadata if isinstance(each, Origin))
    return origin
