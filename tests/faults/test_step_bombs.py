"""STEP bombs through the doors of services and MCP: each is an answer, and the next file is served.

`./run chaos bombs` sends them through the commands, too, and measures time and memory.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping

import pytest
import pytest_asyncio

from tests.chaos.bombs.doors import SERVED, Door, opened_doors
from tests.chaos.bombs.files import BOMBS

HONEST = "cube.step"
SAMPLE = ("cut.step", "cycle.step", "far.step", "nan.step", "sphere.step", "packed.stpz")
"""The kinds that are answered in seconds; the command sends all."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def doors(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Mapping[str, Door]]:
    """Doors in a task of their own: where a fixture begins and ends are two tasks, which a task group forbids."""
    ready: asyncio.Future[Mapping[str, Door]] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def open_them() -> None:
        async with opened_doors(tmp_path_factory.mktemp("bombs")) as opened:
            ready.set_result(opened)
            await done.wait()

    opening = asyncio.create_task(open_them())
    await asyncio.wait({opening, ready}, return_when=asyncio.FIRST_COMPLETED)
    if opening.done():
        opening.result()
    yield await ready
    done.set()
    with contextlib.suppress(asyncio.CancelledError):
        await opening


@pytest.mark.sample(9)
@pytest.mark.parametrize("door", SERVED)
@pytest.mark.parametrize("name", SAMPLE)
async def test_bomb_is_answered_and_an_honest_file_after_it(doors: Mapping[str, Door], name: str, door: str) -> None:
    assert await doors[door](name, BOMBS[name]())
    if door == "POST /quotes":
        assert (await doors[door](HONEST, BOMBS[HONEST]())).startswith("makeable")
