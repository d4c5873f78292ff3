"""Time of catalog searches and of bought parts: `./run perf parts/catalog [--repetitions 200]`.

Starts a Postgres server, fills the catalog and prints Markdown: milliseconds of single queries through the read-only
tool, of complete searches without a model (request text, query, rows of the parts), and of parts: created by their
library, loaded the first time in a process (from the shape cache, if it is warm), and loaded again. The table has the
goal as well; the exit code is always 0.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from uuid import uuid4

from catalog_shapes.bought_parts import bought_part, make_brep
from catalog_shapes.shape_cache import cached_brep
from local_stack.servers.server_stack import ServerStack
from offline_expert.catalog.queries import by_figures
from offline_expert.catalog.request import parse_request
from parts_catalog.parts import part, parts
from store.catalog.reader import Catalog
from store.database import Database
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.support.measurements import setting, table

PACKAGES = ("sqlglot", "asyncpg", "sqlalchemy", "bd-warehouse", "build123d")
GOAL_MS = 20
SEARCHES = (
    "12 V, 1 N m, 5 rad/s",
    "a 6 V servo that holds 0.2 N m",
    "M4 20 mm",
    "a 608 bearing",
    "a pinion with 20 teeth, module 1.5",
    "precision shaft 8 mm, 400 mm long",
)
PARTS = ("iso4762-m4x20", "nut-m6", "608zz", "gear-m1-z20", "gear-m1-z60", "spk-06b-z20", "vslot2020-200", "mg996r")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of catalog searches and of bought parts.")
    parser.add_argument("--repetitions", type=int, default=200, help="of each search")
    repetitions: int = parser.parse_args().repetitions
    print(f"# Catalog\n\n{setting(PACKAGES)}, {len(parts())} parts\n", flush=True)
    with TemporaryDirectory(prefix=f"perf-catalog-{uuid4().hex[:6]}-") as folder:
        stack = ServerStack(Path(folder))
        stack.start()
        try:
            asyncio.run(_search(DatabaseSettings(database_url=stack.database_url), repetitions))
        finally:
            stack.stop()
            stack.erase()
    _measure_parts()


async def _search(settings: DatabaseSettings, repetitions: int) -> None:
    await migrate(settings)
    database = Database(settings)
    await database.start()
    catalog = Catalog(database.engine)
    rows: list[tuple[str, ...]] = []
    for text in SEARCHES:
        parsed = parse_request(text, 5)

        async def query(sql: str = by_figures(parsed)) -> None:
            await catalog.query(sql)

        async def search(text: str = text) -> None:
            request = parse_request(text, 5)
            found = await catalog.query(by_figures(request))
            await catalog.parts([str(row[0]) for row in found.rows])

        rows.append(
            (text, *_percentiles(await _times(query, repetitions)), *_percentiles(await _times(search, repetitions)))
        )
    print(table(("request", "query p50 ms", "p95", "query and parts p50 ms", "p95"), rows))
    print(f"\nGoal: p50 <= {GOAL_MS} ms.\n")
    await database.stop()


async def _times(work: Callable[[], Awaitable[None]], repetitions: int) -> list[float]:
    await work()
    times: list[float] = []
    for _ in range(repetitions):
        begun_s = perf_counter()
        await work()
        times.append((perf_counter() - begun_s) * 1000)
    return times


def _percentiles(times: Sequence[float]) -> tuple[str, str]:
    return f"{median(times):.1f}", f"{quantiles(times, n=20)[-1]:.1f}"


def _measure_parts() -> None:
    rows: list[tuple[str, ...]] = []
    for part_id in PARTS:
        recipe = part(part_id).recipe
        assert recipe is not None
        works = (partial(make_brep, recipe), *(partial(bought_part, part_id),) * 2)
        times = [_once_ms(work) for work in works]
        where = "cache" if cached_brep(recipe) else "recipe"
        rows.append((part_id, *(f"{ms:.1f}" for ms in times), where))
    print(table(("part", "created by recipe ms", "first load ms", "second load ms", "first load from"), rows))


def _once_ms(work: Callable[[], object]) -> float:
    begun_s = perf_counter()
    work()
    return (perf_counter() - begun_s) * 1000


if __name__ == "__main__":
    main()
