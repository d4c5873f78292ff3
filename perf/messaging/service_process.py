"""One service of one contender as a process: `python -m perf.messaging.service_process CONTENDER first|second`."""

import asyncio
import contextlib
import signal
import sys

from chassis.settings import BusSettings

from perf.messaging.contenders import CONTENDERS


async def _serve(name: str, position: str) -> None:
    work = asyncio.create_task(CONTENDERS[name].serve(position, BusSettings()))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, work.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await work


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
