"""One machine: servers, migrated tables, services, and the clients of the command itself."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.bus import Bus
from chassis.cancellation import cancel_and_wait
from chassis.settings import BusSettings
from store.database import Database
from store.settings import DatabaseSettings

from local_stack.errors import UserError
from local_stack.migration import migrate_all
from local_stack.outage_watch import OutageWatch
from local_stack.probes import probes_of
from local_stack.processes.supervisor import Supervisor
from local_stack.readiness import as_user_errors
from local_stack.server_settings import settings_from
from local_stack.server_source import find_servers
from local_stack.services import ROLES, WORKERS, ServiceProcess, build_embedded_apps
from local_stack.settings import CliSettings, inherited_environment

DRAIN_S = 1.0
"""How long embedded services may take to finish the work in hand: Ctrl-C leaves nothing behind within 5 s."""

T = TypeVar("T")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Stack:
    """Everything that a command may need, started."""

    bus: Bus
    artifacts: Artifacts
    database: Database
    failure: asyncio.Task[None]
    """Ends, with a `CannotGoOnError`, when something died for good."""
    supervisor: Supervisor
    outages: OutageWatch
    """Tells the user of servers that are away."""


@dataclass(frozen=True)
class StackOptions:
    """What a command wants of a stack."""

    settings: CliSettings
    separate: bool = False
    """Every service as a process of its own."""
    long_running: bool = False
    """Others may join; we stay until we are told to go."""
    joins_single_runs: bool = False
    """Join whoever runs the servers, even if only for one run of his own."""
    report: Say = lambda _line: None


@asynccontextmanager
async def open_stack(wish: StackOptions) -> AsyncGenerator[Stack]:
    """Start, or join, all that is needed; stop what we started when the block ends, however it ends."""
    supervisor = Supervisor(wish.report, wish.settings.millwright_restarts)
    async with AsyncExitStack() as leaving:
        ground = find_servers(wish.settings, supervisor, lasting=wish.long_running, joins_any=wish.joins_single_runs)
        environment = await leaving.enter_async_context(ground.start())
        leaving.callback(_log_to(wish.settings.millwright_data / "logs"))
        outages = OutageWatch(probes_of(environment), wish.report, wish.settings.millwright_outage_s)
        trouble = asyncio.create_task(_watch(ground.watch(), outages.watch()), name="watch")
        leaving.push_async_callback(cancel_and_wait, trouble)
        if not ground.has_services:
            await migrate_all(environment)
            await run_or_fail(trouble, _start_services(wish, environment, supervisor, leaving))
        bus, artifacts, database = await run_or_fail(trouble, _open_clients(environment, leaving))
        ground.announce()
        leaving.push_async_callback(cancel_and_wait, trouble)  # before anything is stopped: it would start it again
        yield Stack(bus, artifacts, database, trouble, supervisor, outages)


async def run_or_fail(trouble: asyncio.Task[None], work: Coroutine[None, None, T]) -> T:
    """Do the work unless the servers fail for good meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task, trouble), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait((task,))
        raise
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait((task,), timeout=2 * DRAIN_S)
    await trouble
    raise AssertionError("a watch ends only by raising")


async def _start_services(
    wish: StackOptions, environment: Mapping[str, str], supervisor: Supervisor, leaving: AsyncExitStack
) -> None:
    """Start workers as processes and, beside them, the role services, in this process unless `--separate`."""
    everything = inherited_environment() | {"BUS_DRAIN_S": str(DRAIN_S)} | dict(environment)
    logs = wish.settings.millwright_data / "logs"
    names = (*WORKERS, *ROLES) if wish.separate else WORKERS
    apps = [] if wish.separate else build_embedded_apps({**environment, "BUS_DRAIN_S": str(DRAIN_S)})

    async def stop() -> None:
        await asyncio.gather(asyncio.to_thread(supervisor.stop_last_batch), *(_stop(app) for app in apps))

    supervisor.launch([ServiceProcess(name, everything, logs) for name in names])
    leaving.push_async_callback(stop)
    with as_user_errors():
        await asyncio.gather(*(app.start() for app in apps))


async def _stop(app: App) -> None:
    """Stop an embedded service; one that hangs is redelivered what it held, so nothing is lost by leaving it."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2 * DRAIN_S):
            await app.stop()


async def _open_clients(environment: Mapping[str, str], leaving: AsyncExitStack) -> tuple[Bus, Artifacts, Database]:
    """Open the command's own connections."""
    app = App("cli", settings_from(BusSettings, dict(environment) | {"BUS_DRAIN_S": str(DRAIN_S)}))
    artifacts = Artifacts(settings_from(S3Settings, environment))
    app.stores_large_fields_in(artifacts)
    database = Database(settings_from(DatabaseSettings, environment))
    for client in (app, artifacts, database):
        leaving.push_async_callback(client.stop)
        with as_user_errors():
            await client.start()
    return app.bus, artifacts, database


async def _watch(*watches: Coroutine[None, None, None]) -> None:
    """Watch all of it until the first one raises."""
    try:
        async with asyncio.TaskGroup() as group:
            for watch in watches:
                group.create_task(watch)
    except* UserError as errors:
        raise errors.exceptions[0] from None


def _log_to(folder: Path) -> Callable[[], None]:
    """Send what embedded services log to a file; the terminal belongs to the run."""
    folder.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(folder / "millwright.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)

    def close() -> None:
        root.removeHandler(handler)
        handler.close()

    return close
