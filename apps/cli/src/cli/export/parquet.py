"""Exports as Parquet files. pyarrow is an extra of this package: it is large, and few commands need it."""
# pyarrow ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from datetime import datetime
from pathlib import Path
from types import NoneType, TracebackType, UnionType
from typing import Any, Literal, Self, Union, get_args, get_origin
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from cli.export.rows import Row
from cli.export.tables import NAMES, TABLES

BATCH = 500
"""Rows of a table that are kept in memory."""
_SIMPLE = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), UUID: pa.string()}


class ParquetWriter:
    """Writes one Parquet file for each table, compressed by zstd."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        self._waiting: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        self._schemas = {name: schema_of(row) for name, row in TABLES.items()}
        self._files = {
            name: pq.ParquetWriter(self._folder / f"{name}.parquet", schema, compression="zstd")
            for name, schema in self._schemas.items()
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for name, file in self._files.items():
            self._flush(name)
            file.close()

    def write(self, row: Row) -> None:
        """Append a row to its table."""
        name = NAMES[type(row)]
        self._waiting[name].append(_values(row))
        if len(self._waiting[name]) >= BATCH:
            self._flush(name)

    def _flush(self, name: str) -> None:
        rows, self._waiting[name] = self._waiting[name], []
        if rows:
            self._files[name].write_table(pa.Table.from_pylist(rows, schema=self._schemas[name]))


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Return the rows of one file."""
    return pq.read_table(file).to_pylist()


def schema_of(row: type[BaseModel]) -> Any:  # noqa: ANN401 - pyarrow ships no types
    """Return the schema of a table: one column for each field of its rows."""
    return pa.schema([_field(name, info.annotation) for name, info in row.model_fields.items()])


def _values(row: Row) -> dict[str, Any]:
    """Return the row with ids as texts, as `schema_of` has them."""
    values = row.model_dump()
    return {name: str(value) if isinstance(value, UUID) else value for name, value in values.items()}


def _field(name: str, annotation: Any) -> Any:  # noqa: ANN401 - a type of any form
    if get_origin(annotation) in {Union, UnionType}:
        (kind,) = (each for each in get_args(annotation) if each is not NoneType)
        return pa.field(name, _type_of(kind), nullable=True)
    return pa.field(name, _type_of(annotation), nullable=False)


def _type_of(annotation: Any) -> Any:  # noqa: ANN401 - as above
    origin = get_origin(annotation)
    if origin is Literal:
        return pa.string()
    if origin is tuple:
        return pa.list_(_field("item", get_args(annotation)[0]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return pa.struct([_field(name, info.annotation) for name, info in annotation.model_fields.items()])
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    if annotation is datetime or getattr(annotation, "__name__", "") == "AwareDatetime":
        return pa.timestamp("us", tz="UTC")
    raise TypeError(f"a column of type {annotation} has no Parquet type here: add it to _type_of")
