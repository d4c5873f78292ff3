"""Server sources: a stack runs on local servers, on those of another millwright, or on external ones."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

from contracts.settings import COMMAND

from local_stack.data_folder import StackState, is_locked, read_holder, read_state, remove_state, write_state
from local_stack.errors import UserError
from local_stack.processes.supervisor import READY_S, Supervisor
from local_stack.server_access import wait_for_servers
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings

SHARED_READY_S = 2 * READY_S
"""The other millwright starts servers, then services. If it dies meanwhile, the wait ends at once."""
POLL_S = 0.5


class ServerSource(Protocol):
    """Where the servers of a stack come from."""

    has_services: bool
    """Whether services run on the servers already."""

    def start(self) -> AbstractAsyncContextManager[dict[str, str]]:
        """Start or reach the servers; yields the variables that name them."""
        ...

    def database_passwords(self) -> dict[str, str]:
        """Return the passwords of the services' database users; empty if the services share the servers' own user."""
        ...

    def announce(self, api_url: str | None) -> str | None:
        """Let other commands join: the whole stack is ready. Returns where its API is, also of a stack that runs."""
        ...

    async def watch(self) -> None:
        """Run for ever; raise `UserError` when servers or services cannot be restarted."""
        ...


class LocalServers:
    """Servers that this process starts and stops."""

    has_services = False

    def __init__(self, folder: Path, supervisor: Supervisor, *, long_running: bool) -> None:
        """Start nothing yet."""
        self._servers = ServerStack(folder, supervisor)
        self._supervisor = supervisor
        self._long_running = long_running

    @asynccontextmanager
    async def start(self) -> AsyncGenerator[dict[str, str]]:
        """Start them; stop them when the block ends."""
        self._servers.launch()
        try:
            await asyncio.to_thread(self._supervisor.wait_until_ready)
            yield self._servers.environment()
        finally:
            remove_state(self._servers.folder)
            await asyncio.to_thread(self._servers.stop)

    def database_passwords(self) -> dict[str, str]:
        """Return a password for each service."""
        return self._servers.database_passwords()

    def announce(self, api_url: str | None) -> str | None:
        """Write the state that other commands read."""
        environment = self._servers.environment()
        write_state(
            self._servers.folder, StackState(environment=environment, long_running=self._long_running, api_url=api_url)
        )
        return api_url

    async def watch(self) -> None:
        """Restart programs that die."""
        await self._supervisor.watch()


class SharedServers:
    """Servers and services of another millwright in the same folder."""

    has_services = True

    def __init__(self, folder: Path) -> None:
        """`folder` is locked by the other millwright."""
        self._folder = folder

    @asynccontextmanager
    async def start(self) -> AsyncGenerator[dict[str, str]]:
        """Wait until the other millwright is ready."""
        try:
            async with asyncio.timeout(SHARED_READY_S):
                while (state := read_state(self._folder)) is None:
                    if not is_locked(self._folder):
                        raise self._ended()
                    await asyncio.sleep(POLL_S)
        except TimeoutError as error:
            raise UserError(
                f"the millwright that runs the servers in {self._folder} was not ready within {SHARED_READY_S:g} s"
            ) from error
        yield state.environment

    def database_passwords(self) -> dict[str, str]:
        """Return none: the services run already."""
        return {}

    def announce(self, api_url: str | None) -> str | None:
        """The other millwright has done so."""
        state = read_state(self._folder)
        return api_url if state is None else state.api_url

    async def watch(self) -> None:
        """Raise `UserError` when the other millwright has ended."""
        while is_locked(self._folder):  # noqa: ASYNC110 - the end of another process cannot be awaited
            await asyncio.sleep(POLL_S)
        raise self._ended()

    def _ended(self) -> UserError:
        return UserError(f"the millwright that ran the servers in {self._folder} has ended; run the command again")


class ExternalServers:
    """Servers that the environment names; the services on them may be external as well."""

    def __init__(self, environment: Mapping[str, str], supervisor: Supervisor, *, has_services: bool) -> None:
        """Connect to nothing yet."""
        self.has_services = has_services
        self._environment = dict(environment)
        self._supervisor = supervisor

    @asynccontextmanager
    async def start(self) -> AsyncGenerator[dict[str, str]]:
        """Wait until each server accepts connections."""
        await wait_for_servers(self._environment)
        yield self._environment

    def database_passwords(self) -> dict[str, str]:
        """Return none: the owner of the servers decides on users."""
        return {}

    def announce(self, api_url: str | None) -> str | None:
        """Other commands find them by the same variables."""
        return api_url

    async def watch(self) -> None:
        """Restart services that die."""
        await self._supervisor.watch()


def find_servers(
    settings: CliSettings, supervisor: Supervisor, *, long_running: bool, joins_single_runs: bool
) -> ServerSource:
    """Return external servers if the environment names them, else those of another millwright, else local ones."""
    external = settings.external_servers()
    if external is not None:
        return ExternalServers(external, supervisor, has_services=settings.services_elsewhere)
    folder = settings.millwright_data
    if not long_running and _is_shared(folder, joins_single_runs=joins_single_runs):
        return SharedServers(folder)
    return LocalServers(folder, supervisor, long_running=long_running)


def are_services_running(settings: CliSettings) -> bool:
    """Tell whether a command that runs work uses services that run already, with an environment of their own."""
    if settings.external_servers() is not None:
        return settings.services_elsewhere
    return _is_shared(settings.millwright_data, joins_single_runs=False)


def require_stopped_stack(settings: CliSettings) -> None:
    """Raise `UserError` while a millwright runs servers in the data folder, unless the database is elsewhere."""
    folder = settings.millwright_data
    if settings.database_url is None and is_locked(folder):
        raise UserError(f"a millwright (process {read_holder(folder)}) runs in {folder}: stop it with `{COMMAND} down`")


def _is_shared(folder: Path, *, joins_single_runs: bool) -> bool:
    """Tell whether another millwright runs servers in this folder that a command joins."""
    if not is_locked(folder):
        return False
    state = read_state(folder)
    return state is None or state.long_running or joins_single_runs
