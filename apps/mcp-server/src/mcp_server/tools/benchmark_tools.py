"""Tools about benchmarks, bought parts and designs that need no session."""

from typing import Annotated, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from millwright.script import script_files
from millwright.workshop import MAX_REPLICAS, REPLICAS, order_markdown
from parts_catalog.search.keywords import search
from pydantic import Field

from mcp_server.answers import (
    BenchmarksAnswer,
    BenchmarkTask,
    CatalogAnswer,
    ListedBenchmark,
    VerdictAnswer,
    verdict_answer,
)
from mcp_server.calls import result
from mcp_server.tools.client import MAX_CODE_CHARS, BenchmarkName, ClientTools, Seed

Replicas = Annotated[int, Field(ge=2, le=MAX_REPLICAS, description=f"Jittered repeats; a submission has {REPLICAS}.")]


class BenchmarkTools(ClientTools):
    """Lists and describes benchmarks, searches the catalog, judges scripts."""

    async def list_benchmarks(self, ctx: Context, level: Literal[1, 2, 3] | None = None) -> BenchmarksAnswer:
        """List the built-in benchmarks: worlds in which a machine must bring an object into a goal zone."""
        return await self.answer(ctx, self._rows(level))

    async def describe_benchmark(self, ctx: Context, benchmark: BenchmarkName, seed: Seed = 0) -> BenchmarkTask:
        """Describe the world of a benchmark under a seed: task, zones, payload, limits, solids. All lengths in mm."""
        return await self.answer(ctx, self._task(benchmark, seed))

    async def search_catalog(
        self,
        ctx: Context,
        words: Annotated[
            str, Field(min_length=1, max_length=500, description="One kind of part, with figures and units.")
        ],
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
        quantity: Annotated[int, Field(ge=1, le=1_000_000, description="Pieces to buy.")] = 1,
    ) -> CatalogAnswer:
        """Search the parts that can be bought: motors, screws, bearings, gears, shafts, springs.

        In a cell or script.py, `catalog_part(id)` of `utils` creates the part that was found.
        """

        async def found() -> CatalogAnswer:
            finds, note = search(words, limit, quantity)
            return CatalogAnswer(found=list(finds), note=note)

        return await self.answer(ctx, found())

    async def judge(
        self,
        ctx: Context,
        script: Annotated[str, Field(max_length=MAX_CODE_CHARS, description="Python text that binds `assembly`.")],
        benchmark: BenchmarkName,
        seed: Seed = 0,
        replicas: Replicas = REPLICAS,
    ) -> Annotated[CallToolResult, VerdictAnswer]:
        """Judge a script in the world of a benchmark, without a session: makeable, affordable, solved in its replicas.

        The verdict is that of a submission. To see pictures and to try things step by step, open a session.
        """

        async def judged() -> CallToolResult:
            loaded = self.hub.benchmarks.load(benchmark, seed)
            workshop = await self.hub.workshop()
            design = await workshop.judge_files(script_files(script), await workshop.order(loaded), replicas)
            return result(verdict_answer(design.verdict), design.verdict.markdown())

        return await self.answer(ctx, judged())

    async def _rows(self, level: int | None) -> BenchmarksAnswer:
        rows = [
            ListedBenchmark(name=file.name, title=file.title, level=file.level, limits=file.limits)
            for file in self.hub.benchmarks.files()
            if level in {None, file.level}
        ]
        return BenchmarksAnswer(benchmarks=rows)

    async def _task(self, name: str, seed: int) -> BenchmarkTask:
        loaded = self.hub.benchmarks.load(name, seed)
        workshop = await self.hub.workshop()
        variant = loaded.variant
        return BenchmarkTask(
            name=name,
            title=variant.title,
            level=variant.level,
            seed=seed,
            limits=loaded.limits,
            task_md=order_markdown(await workshop.order(loaded)),
        )
