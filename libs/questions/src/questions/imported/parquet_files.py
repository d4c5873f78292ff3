"""Rows of Parquet files. pyarrow is an extra of this package: it is large, and few sets need it."""
# pyarrow ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from questions.imported.fields import Record, RecordUnusableError

ROWS_AT_ONCE = 64
"""Rows may hold images."""


def parquet_records(path: Path, left_out: Sequence[str] = ()) -> Iterator[Record]:
    """Yield the rows of a file, a few in memory at once, without some columns."""
    try:
        with pq.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name not in left_out]
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=columns):
                yield from cast("list[Record]", batch.to_pylist())
    except pa.ArrowException as error:
        raise RecordUnusableError(f"{path.name} cannot be read as Parquet ({error}); download it again") from error


def parquet_cells(path: Path, number: int, columns: Sequence[str]) -> list[Any]:
    """Return the values of one row, counted from 0; only the rows around it are read."""
    with pq.ParquetFile(path) as file:
        group, first = 0, 0
        while number >= first + file.metadata.row_group(group).num_rows:
            first += file.metadata.row_group(group).num_rows
            group += 1
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, row_groups=[group], columns=list(columns)):
            if number < first + batch.num_rows:
                row = cast("Record", batch.slice(number - first, 1).to_pylist()[0])
                return [row[name] for name in columns]
            first += batch.num_rows
    raise IndexError(f"{path.name} has no row {number}")


def parquet_columns(path: Path) -> list[str]:
    """Return the names of the columns."""
    try:
        with pq.ParquetFile(path) as file:
            return list(file.schema_arrow.names)
    except pa.ArrowException as error:
        raise RecordUnusableError(f"{path.name} cannot be read as Parquet ({error}); download it again") from error
