"""One app as a process of its own."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Callable

from chassis.app import App
from chassis.errors import ChassisError
from chassis.observability.health_file import write_health
from chassis.settings import reading


def run(name: str, make: Callable[[], App]) -> None:
    """Start the app, work until SIGTERM or SIGINT, drain and return. A second signal ends the process at once.

    Exits with 2 and one line of explanation when the environment cannot be read, or the bus, a server or whatever else
    the app works with cannot be used: see `App.refuses_on`.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        with reading():
            app = make()
        asyncio.run(_serve(app))
    except ChassisError as error:
        sys.stderr.write(f"{name}: {' '.join(str(error).split())}\n")
        sys.exit(2)
    finally:
        gc.freeze()  # or Python looks through thousands of classes for rubbish before it ends


async def _serve(app: App) -> None:
    asked_to_stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop_once() -> None:
        asked_to_stop.set()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(each)

    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop_once)
    starting = asyncio.create_task(app.start())
    stopping = asyncio.create_task(asked_to_stop.wait())
    await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        await asyncio.wait((starting,))
        stopping.cancel()
        return
    try:
        starting.result()
        await _until(stopping, app)
    finally:
        stopping.cancel()
        await app.stop()


async def _until(stopping: asyncio.Task[bool], app: App) -> None:
    """Wait for the signal, and meanwhile tell how the app is, if anybody wants to know."""
    if app.health_file is None:
        await stopping
        return
    telling = asyncio.create_task(write_health(app, app.health_file), name="tell health")
    await asyncio.wait((stopping, telling), return_when=asyncio.FIRST_COMPLETED)
    if telling.done():
        telling.result()  # it ends only by raising, such as for a full disk
    telling.cancel()
