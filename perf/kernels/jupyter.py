"""The kernel of notebooks, ipykernel: started by jupyter_client; its first cell imports build123d."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# jupyter_client leaves most of its messages untyped.

import time

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import start_new_async_kernel

from perf.kernels.own_kernel import Starts
from tests.support.kernel_world import CAD_CELL, LIMIT_S, SMALL_CELL

IMPORTS = "from build123d import *"


async def starts(count: int) -> Starts:
    """Start kernels one after another; a kernel is ready after importing build123d."""
    found = Starts()
    for _ in range(count):
        began = time.perf_counter()
        manager, client = await start_new_async_kernel()
        await _run(client, IMPORTS)
        found.ready_ms.append(1000 * (time.perf_counter() - began))
        began = time.perf_counter()
        await _run(client, CAD_CELL)
        found.first_cell_ms.append(1000 * (time.perf_counter() - began))
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
    return found


async def round_trips(count: int) -> list[float]:
    """Return the milliseconds of `x = 1` until the kernel reports that it is idle."""
    manager, client = await start_new_async_kernel()
    await _run(client, IMPORTS)
    spent_ms: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await _run(client, SMALL_CELL)
        spent_ms.append(1000 * (time.perf_counter() - began))
    client.stop_channels()
    await manager.shutdown_kernel(now=True)
    return spent_ms


async def _run(client: AsyncKernelClient, code: str) -> None:
    reply = await client.execute_interactive(code, timeout=LIMIT_S, output_hook=_ignore)
    assert reply["content"]["status"] == "ok", reply


def _ignore(_message: object) -> None:
    return None
