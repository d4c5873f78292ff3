"""One app as a process of its own."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from chassis.app import App
from chassis.background_tasks import cancel_all_others
from chassis.errors import ChassisError, VitalPartFailedError
from chassis.observability.health_file import write_health
from chassis.observability.health_server import HealthServer
from chassis.observability.logs import RunFormatter
from chassis.settings import as_settings_errors


def run(name: str, make: Callable[[], App]) -> None:
    """Run the app until SIGTERM or SIGINT, drain and return. A second signal ends the process at once.

    Exits with 2 and one line of explanation when the environment is invalid, when NATS or a resource of the app cannot
    be used (see `App.fails_fast_on`), or when a vital part of it fails later (see `App.ends_on`).
    """
    console = logging.StreamHandler()
    console.setFormatter(RunFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[console])
    try:
        with as_settings_errors():
            app = make()
        gc.freeze()  # or each collection searches the thousands of classes again: a third of the recorder's time
        with app.export_logs():
            asyncio.run(_serve(app))
    except ChassisError as error:
        sys.stderr.write(f"{name}: {' '.join(str(error).split())}\n")
        sys.exit(2)
    finally:
        gc.freeze()  # spares the interpreter a collection over thousands of classes before it exits


async def _serve(app: App) -> None:
    stop_requested = asyncio.Event()
    loop = asyncio.get_running_loop()

    def request_stop() -> None:
        stop_requested.set()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(each)

    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, request_stop)
    try:
        async with _probes(app) as probes:
            await _run_app(app, stop_requested, probes)
    finally:
        await cancel_all_others()


@asynccontextmanager
async def _probes(app: App) -> AsyncGenerator[HealthServer | None]:
    """Answer probes of the app from before its start until it has stopped, if the settings name a port."""
    server = app.health_server()
    if server is None:
        yield None
        return
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def _run_app(app: App, stop_requested: asyncio.Event, probes: HealthServer | None) -> None:
    starting = asyncio.create_task(app.start())
    stopping = asyncio.create_task(stop_requested.wait())
    await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        await asyncio.wait((starting,))
        stopping.cancel()
        return
    try:
        starting.result()
        if probes is not None:
            probes.is_started = True
        await _work_until(stopping, app)
    finally:
        stopping.cancel()
        await app.stop()


async def _work_until(stopping: asyncio.Task[bool], app: App) -> None:
    """Wait for the signal, and write the app's health meanwhile if the settings name a file."""
    failing = asyncio.create_task(app.failure(), name="failure of a vital part")
    working: list[asyncio.Task[None]] = []
    if app.health_file is not None:
        working.append(asyncio.create_task(write_health(app.health, app.health_file), name="write health"))
    await asyncio.wait((stopping, failing, *working), return_when=asyncio.FIRST_COMPLETED)
    for writing in working:
        if writing.done():
            writing.result()  # it ends only by raising
        writing.cancel()
    if failing.done():
        raise VitalPartFailedError(failing.result())
    failing.cancel()
