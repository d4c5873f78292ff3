"""The table of generated benchmarks: each is published once, and none twice under another name."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from store.benchmarks import GeneratedBenchmark, GeneratedBenchmarks
from store.database import Database

from tests.contracts.example_values import blob, digest


@pytest.fixture
def benchmarks(database: Database) -> GeneratedBenchmarks:
    return GeneratedBenchmarks(database.engine)


def benchmark(**changes: Any) -> GeneratedBenchmark:
    run_id = uuid4()
    fields: dict[str, Any] = {
        "name": f"gap-{run_id.hex}",
        "run_id": run_id,
        "title": "Gap",
        "level": 2,
        "task": "a ball must cross a gap",
        "model": "offline",
        "digest": digest(str(run_id)),
        "has_motion": False,
        "artifact": blob("gap.zip", "application/zip", 9_000),
    }
    return GeneratedBenchmark(**fields | changes)


async def test_benchmark_is_published_once_for_each_run(benchmarks: GeneratedBenchmarks):
    new = benchmark()
    assert [await benchmarks.publish(new), await benchmarks.publish(new)] == ["", ""]
    assert (new.name, new.title) in await benchmarks.newest(5)
    assert await benchmarks.conflict(new.name, new.digest, new.run_id) == ""


async def test_name_and_world_of_another_run_conflict(benchmarks: GeneratedBenchmarks):
    first = benchmark()
    await benchmarks.publish(first)
    same_name, same_world = benchmark(name=first.name), benchmark(digest=first.digest)
    assert "taken" in await benchmarks.publish(same_name)
    assert first.name in await benchmarks.publish(same_world)
    assert "invent another" in await benchmarks.conflict(same_world.name, first.digest, same_world.run_id)
    names = [name for name, _ in await benchmarks.newest(100)]
    assert same_world.name not in names


async def test_of_runs_that_publish_one_world_at_once_one_succeeds(benchmarks: GeneratedBenchmarks):
    shared = digest(str(uuid4()))
    answers = await asyncio.gather(*(benchmarks.publish(benchmark(digest=shared)) for _ in range(6)))
    assert sorted(map(bool, answers)) == [False, *[True] * 5]
