"""Rows of Parquet files. pyarrow is an extra of this package: it is large, and few sets need it."""
# pyarrow ships no types:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pyarrow.parquet as pq

from questions.imported.fields import Record

ROWS_AT_ONCE = 64
"""Rows may hold images."""


def parquet_records(path: Path) -> Iterator[Record]:
    """Yield the rows of a file, a few in memory at once."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
            yield from cast("list[Record]", batch.to_pylist())
