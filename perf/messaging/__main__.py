"""One service of one rival as a process of its own: `python -m perf.messaging.__main__ RIVAL first|second`."""

import asyncio
import contextlib
import signal
import sys

from chassis.settings import BusSettings

from perf.messaging.contenders import RIVALS


async def _serve(name: str, place: str) -> None:
    work = asyncio.create_task(RIVALS[name].serve(place, BusSettings()))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, work.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await work


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
