"""Everything recorded that may name an artifact, for finding those that nothing names."""

from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncEngine

from store.outages import open_connection
from store.tables import BenchmarkRow, EventRow, SkillRow, UnreadableRow

BATCH = 500
"""Rows fetched at once."""


async def recorded_texts(engine: AsyncEngine) -> AsyncIterator[bytes]:
    """Yield the JSON of all events, skills and benchmarks, and the messages that could not be read."""
    columns = (EventRow.body, UnreadableRow.data, SkillRow.artifact, SkillRow.files, BenchmarkRow.artifact)
    for query in map(select, columns):
        async for text in _values(engine, query):
            yield text.encode() if isinstance(text, str) else text


async def _values(engine: AsyncEngine, query: Select[Any]) -> AsyncIterator[bytes | str]:
    async with open_connection(engine) as connection:
        result = await connection.stream_scalars(query.execution_options(yield_per=BATCH))
        async for value in result:
            if value is not None:
                yield value
