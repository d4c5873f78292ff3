"""The stack of one machine: servers, migrated tables, services, and the clients of the command itself."""

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TypeVar

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from catalog_shapes.shape_cache import is_filled
from chassis.app import App
from chassis.background_tasks import cancel_and_wait, run_until_failure
from chassis.bus import Bus
from chassis.disk_space import DiskSpace
from chassis.observability.logs import RunFormatter, exported_logs
from chassis.settings import BusSettings
from store.database import Database
from store.settings import DatabaseSettings

from local_stack.data_folder import create_private
from local_stack.database_users import provision_database_users, with_own_login
from local_stack.gateway_access import TOKENS, local_tokens
from local_stack.migration import migrate_all
from local_stack.processes.child_process import ChildProcess, ProcessSpec
from local_stack.processes.log_files import MAX_LOG_BYTES
from local_stack.processes.supervisor import Supervisor
from local_stack.server_access import as_user_errors, settings_from
from local_stack.server_source import find_servers
from local_stack.servers.disk_watch import DiskWatch
from local_stack.servers.ports import free_ports, is_free, owner_of, require_free
from local_stack.service_environment import service_environment
from local_stack.services import (
    EMBEDDED,
    GATEWAY,
    GATEWAY_PORT,
    PORT,
    WORKERS,
    ServiceProcess,
    build_embedded_apps,
    gateway_url,
    metrics_ports,
)
from local_stack.settings import CliSettings, inherited_environment
from local_stack.watches.outage_watch import OutageWatch, probes_of
from local_stack.watches.service_watch import ServiceWatch, health_in

DRAIN_S = 1.0
"""How long embedded services may take to finish work in progress: after Ctrl-C everything has stopped within 5 s."""

T = TypeVar("T")


@dataclass(frozen=True)
class Stack:
    """The started clients of a command, and the watch over the servers."""

    bus: Bus
    artifacts: Artifacts
    database: Database
    failure: asyncio.Task[None]
    """Ends, with a `UserError`, when a server or service cannot be restarted."""
    supervisor: Supervisor
    outages: OutageWatch
    api_url: str | None = None
    """Of the gateway, if this stack has one, or the stack that it has joined."""
    is_joined: bool = False
    """Whether another process runs the services."""


@dataclass(frozen=True)
class StackOptions:
    """How a command uses a stack."""

    settings: CliSettings
    separate: bool = False
    """Every service runs as a process of its own."""
    long_running: bool = False
    """Other commands may join; the stack runs until it is stopped."""
    shows_pages: bool = False
    """Start the gateway for one run, too."""
    joins_single_runs: bool = False
    """Join another millwright even if it ends after its own run."""
    report: Callable[[str], None] = lambda _line: None
    """Receives lines for the user."""

    @property
    def has_gateway(self) -> bool:
        """Whether a stack that is started has a gateway."""
        return self.long_running or self.shows_pages


@asynccontextmanager
async def open_stack(options: StackOptions) -> AsyncGenerator[Stack]:
    """Start or join servers and services; stop what was started here when the block ends, however it ends."""
    settings = options.settings
    supervisor = Supervisor(options.report, settings.millwright_restarts)
    async with AsyncExitStack() as cleanup:
        source = find_servers(
            settings, supervisor, long_running=options.long_running, joins_single_runs=options.joins_single_runs
        )
        environment = await cleanup.enter_async_context(source.start())
        cleanup.callback(_log_to(settings.millwright_data / "logs"))
        outages = OutageWatch(probes_of(environment), options.report, settings.millwright_outage_s)
        space = DiskSpace.of(settings_from(BusSettings, environment))
        disk = DiskWatch(space, options.report, supervisor.renew_servers)
        supervisor.is_paused = disk.is_full
        services = ServiceWatch(options.report, lambda: outages.waiting is not None or disk.is_low())
        watching = run_until_failure(source.watch(), outages.watch(), disk.watch(), services.watch())
        failure = asyncio.create_task(watching, name="watch")
        cleanup.push_async_callback(cancel_and_wait, failure)
        api_url: str | None = None
        if not source.has_services:
            await migrate_all(environment)
            cleanup.enter_context(exported_logs("local-stack", settings_from(BusSettings, environment)))
            passwords = source.database_passwords()
            if passwords:
                with as_user_errors():
                    await provision_database_users(settings_from(DatabaseSettings, environment), passwords)
            services_environment = {**environment, **gateway_variables(options)}
            starting = _start_services(options, services_environment, passwords, supervisor, services, cleanup)
            api_url = await run_or_fail(failure, starting)
            cleanup.callback(_fill_shape_cache(settings.millwright_data / "logs"))
        bus, artifacts, database = await run_or_fail(failure, _open_clients(environment, cleanup))
        api_url = source.announce(api_url)
        cleanup.push_async_callback(cancel_and_wait, failure)  # before anything stops: the watch would restart it
        yield Stack(bus, artifacts, database, failure, supervisor, outages, api_url, source.has_services)


async def run_or_fail(failure: asyncio.Task[None], work: Coroutine[None, None, T]) -> T:
    """Return the result of the work; cancel it and raise if `failure` ends first."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task, failure), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait((task,))
        raise
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait((task,), timeout=2 * DRAIN_S)
    await failure
    raise AssertionError("a watch ends only by raising")


async def _start_services(  # noqa: PLR0913, PLR0917 - the parts of a stack
    options: StackOptions,
    environment: Mapping[str, str],
    passwords: Mapping[str, str],
    supervisor: Supervisor,
    watch: ServiceWatch,
    cleanup: AsyncExitStack,
) -> str | None:
    """Start workers as processes and the other services in this process, or as processes too with `--separate`.

    Returns the address of the gateway, which a stack has that others join.
    """
    everything = inherited_environment() | {"BUS_DRAIN_S": str(DRAIN_S)} | dict(environment)
    logs = options.settings.millwright_data / "logs"
    has_gateway = options.has_gateway
    names = (*WORKERS, *EMBEDDED, *((GATEWAY,) if has_gateway else ())) if options.separate else WORKERS
    with_drain = {**environment, "BUS_DRAIN_S": str(DRAIN_S)}
    ports = metrics_ports(options.settings.millwright_metrics_port)
    require_free("MILLWRIGHT_METRICS_PORT", *map(int, ports.values()))
    apps: list[App] = []
    if not options.separate:
        apps = build_embedded_apps(with_drain, passwords, with_gateway=has_gateway, ports=ports)

    async def stop() -> None:
        await asyncio.gather(asyncio.to_thread(supervisor.stop_last_batch), *(_stop(app) for app in apps))

    processes = [_process(name, {**everything, **_port_variable(ports, name)}, passwords, logs) for name in names]
    supervisor.launch(processes)
    cleanup.push_async_callback(stop)
    with as_user_errors():
        await asyncio.gather(*(app.start() for app in apps))
    for process in processes:
        watch.add(process.name, health_in(process.health_file))
    for app in apps:
        watch.add(app.name, app.health)
    return gateway_url(apps, with_drain) if has_gateway else None


def gateway_variables(options: StackOptions) -> dict[str, str]:
    """Return the API's token and port, as far as the user's environment does not set them: a port that is free."""
    if not options.has_gateway:
        return {}
    given, chosen = inherited_environment(), dict[str, str]()
    if TOKENS not in given:
        chosen[TOKENS] = local_tokens(options.settings.millwright_data)
    port = int(given.get(PORT) or GATEWAY_PORT)
    if given.get(PORT):
        require_free(PORT, port)
    elif not is_free(port):
        (free,) = free_ports(1)
        options.report(f"port {port} is taken by {owner_of(port)}; the API listens on {free}")
        chosen[PORT] = str(free)
    return chosen


def _port_variable(ports: Mapping[str, str], name: str) -> dict[str, str]:
    return {"METRICS_PORT": ports[name]} if ports else {}


def _process(name: str, everything: Mapping[str, str], passwords: Mapping[str, str], logs: Path) -> ServiceProcess:
    return ServiceProcess(name, service_environment(name, with_own_login(everything, name, passwords)), logs)


def _fill_shape_cache(logs: Path) -> Callable[[], None]:
    """Make the shapes of bought parts that no set-up has made, in idle time; return how to stop that."""
    if is_filled():
        return lambda: None
    command = (sys.executable, "-m", "catalog_shapes.warm_cache", "--idle")
    environment = service_environment("cad-worker", inherited_environment())
    child = ChildProcess(ProcessSpec("shapes", command, logs, logs / "shapes.log", environment))

    def stop() -> None:  # what is not made yet is made beside the next run
        child.request_stop()
        child.end_by(time.monotonic() + child.spec.patience_s)

    return stop


async def _stop(app: App) -> None:
    """Stop an embedded service, or abandon one that hangs: its messages are redelivered, so that nothing is lost."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2 * DRAIN_S):
            await app.stop()


async def _open_clients(environment: Mapping[str, str], cleanup: AsyncExitStack) -> tuple[Bus, Artifacts, Database]:
    """Open the command's own connections."""
    app = App("cli", settings_from(BusSettings, dict(environment) | {"BUS_DRAIN_S": str(DRAIN_S)}))
    artifacts = Artifacts(settings_from(S3Settings, environment))
    app.stores_large_fields_in(artifacts)
    database = Database(settings_from(DatabaseSettings, environment))
    for client in (app, artifacts, database):
        cleanup.push_async_callback(client.stop)
        with as_user_errors():
            await client.start()
    return app.bus, artifacts, database


class _LogFile(RotatingFileHandler):
    """A log whose lines are lost while the disk is full: the watch of the disk reports that, not each line."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)


def _log_to(folder: Path) -> Callable[[], None]:
    """Write the logs of embedded services to a file, since the terminal shows the run; return how to undo it."""
    handler = _LogFile(create_private(folder) / "millwright.log", maxBytes=MAX_LOG_BYTES, backupCount=1)
    handler.setFormatter(RunFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)

    def close() -> None:
        root.removeHandler(handler)
        handler.close()

    return close
