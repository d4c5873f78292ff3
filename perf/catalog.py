"""What a search in the catalog costs without a model: `python -m perf.catalog [--repetitions 200]`.

Starts a Postgres of its own, fills the catalog and prints Markdown: milliseconds of single queries through the
read-only tool, of whole searches by rules (words, query, the parts' rows), and of parts: made by their library, the
first time in a process (from the shape cache, if it is warm), and again. The goal stands
beside the figures; nothing fails.
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

from cad_worker.catalog_shapes.bought_parts import bought_part, make_brep
from cad_worker.catalog_shapes.shape_cache import cached_brep
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
MOST_MS = 20
SEARCHES = (
    "12 V, 1 N m, 5 rad/s",
    "a 6 V servo that holds 0.2 N m",
    "M4 20 mm",
    "a 608 bearing",
    "a pinion with 20 teeth, module 1.5",
    "precision shaft 8 mm, 400 mm long",
)
MADE = ("iso4762-m4x20", "nut-m6", "608zz", "gear-m1-z20", "gear-m1-z60", "spk-06b-z20", "vslot2020-200", "mg996r")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a search in the catalog costs.")
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
    _make()


async def _search(settings: DatabaseSettings, repetitions: int) -> None:
    await migrate(settings)
    database = Database(settings)
    await database.start()
    catalog = Catalog(database.engine)
    rows: list[tuple[str, ...]] = []
    for words in SEARCHES:
        wanted = parse_request(words, 5)

        async def look(sql: str = by_figures(wanted)) -> None:
            await catalog.query(sql)

        async def whole(words: str = words) -> None:
            again = parse_request(words, 5)
            found = await catalog.query(by_figures(again))
            await catalog.parts([str(row[0]) for row in found.rows])

        rows.append((words, *_told(await _times(look, repetitions)), *_told(await _times(whole, repetitions))))
    print(table(("words", "query p50 ms", "p95", "with its parts p50 ms", "p95"), rows))
    print(f"\nGoal: p50 <= {MOST_MS} ms.\n")
    await database.stop()


async def _times(work: Callable[[], Awaitable[None]], repetitions: int) -> list[float]:
    await work()
    times: list[float] = []
    for _ in range(repetitions):
        begun_s = perf_counter()
        await work()
        times.append((perf_counter() - begun_s) * 1000)
    return times


def _told(times: Sequence[float]) -> tuple[str, str]:
    return f"{median(times):.1f}", f"{quantiles(times, n=20)[-1]:.1f}"


def _make() -> None:
    rows: list[tuple[str, ...]] = []
    for part_id in MADE:
        recipe = part(part_id).recipe
        assert recipe is not None
        works = (partial(make_brep, recipe), *(partial(bought_part, part_id),) * 2)
        times = [_once_ms(work) for work in works]
        where = "shelf" if cached_brep(recipe) else "recipe"
        rows.append((part_id, *(f"{ms:.1f}" for ms in times), where))
    print(table(("part", "made by its recipe ms", "first ms", "again ms", "first is from"), rows))


def _once_ms(work: Callable[[], object]) -> float:
    begun_s = perf_counter()
    work()
    return (perf_counter() - begun_s) * 1000


if __name__ == "__main__":
    main()
