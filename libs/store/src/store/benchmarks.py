"""The generated benchmarks, which only the benchmark-generator writes."""

from uuid import UUID

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.label import Label
from pydantic import PositiveInt
from sqlalchemy import or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection, open_transaction
from store.tables import BenchmarkRow


class GeneratedBenchmark(Model):
    """A benchmark as it is published."""

    name: Label
    run_id: UUID
    title: str
    level: PositiveInt
    task: str
    model: str
    digest: Sha256
    """Of what makes the benchmark, without name and description."""
    has_motion: bool
    artifact: ArtifactRef
    """Zip of its files."""


class GeneratedBenchmarks:
    """Reads and writes the generated benchmarks."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def publish(self, benchmark: GeneratedBenchmark) -> str:
        """Store a benchmark, once for each run; return why it is not new, empty if it is stored."""
        row = benchmark.model_dump(exclude={"artifact"}) | {"artifact": benchmark.artifact.model_dump_json()}
        async with open_transaction(self._engine) as connection:
            await connection.execute(insert(BenchmarkRow).values(row).on_conflict_do_nothing())
            own = select(BenchmarkRow.name).where(BenchmarkRow.run_id == benchmark.run_id)
            if await connection.scalar(own) is not None:
                return ""
            return await _conflict(connection, benchmark.name, benchmark.digest, benchmark.run_id)

    async def conflict(self, name: str, digest: str, run_id: UUID) -> str:
        """Return which benchmark of another run has the same name or the same world; empty if none has."""
        async with open_connection(self._engine) as connection:
            return await _conflict(connection, name, digest, run_id)

    async def newest(self, limit: int) -> list[tuple[str, str]]:
        """Return names and titles of the newest benchmarks, the newest first."""
        query = select(BenchmarkRow.name, BenchmarkRow.title).order_by(BenchmarkRow.published_at.desc()).limit(limit)
        async with open_connection(self._engine) as connection:
            return [(row.name, row.title) for row in await connection.execute(query)]


async def _conflict(connection: AsyncConnection, name: str, digest: str, run_id: UUID) -> str:
    query = select(BenchmarkRow.name, BenchmarkRow.digest).where(
        or_(BenchmarkRow.name == name, BenchmarkRow.digest == digest), BenchmarkRow.run_id != run_id
    )
    row = (await connection.execute(query)).first()
    if row is None:
        return ""
    if row.digest == digest:
        return f"the same world is published already as {row.name}: invent another one"
    return f"the name {name} is taken by a published benchmark: choose another one"
