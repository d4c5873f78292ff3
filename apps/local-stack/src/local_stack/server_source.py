"""What a stack stands on: servers of our own, those of a neighbour, or servers that exist anyway."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

from local_stack.errors import UserError
from local_stack.processes.supervisor import Supervisor
from local_stack.readiness import wait_for_servers
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import CliSettings
from local_stack.state import StackState, forget_state, is_held, read_state, write_state

NEIGHBOUR_READY_S = 60.0
POLL_S = 0.5


class ServerSource(Protocol):
    """Where the servers come from."""

    has_services: bool
    """Whether somebody else runs the services on it already."""

    def start(self) -> AbstractAsyncContextManager[dict[str, str]]:
        """Start or reach the servers; yields the variables by which services join them."""
        ...

    def announce(self) -> None:
        """Everything stands: others may come."""
        ...

    async def watch(self) -> None:
        """Return never; raise `CannotGoOnError` when what we started, or the neighbour, is gone for good."""
        ...


class LocalServers:
    """Servers that we start and end."""

    has_services = False

    def __init__(self, folder: Path, supervisor: Supervisor, *, lasting: bool) -> None:
        """Start nothing yet."""
        self._servers = ServerStack(folder, supervisor)
        self._supervisor = supervisor
        self._lasting = lasting

    @asynccontextmanager
    async def start(self) -> AsyncGenerator[dict[str, str]]:
        """Start them."""
        self._servers.launch()
        try:
            await asyncio.to_thread(self._supervisor.wait_until_ready)
            yield self._servers.environment()
        finally:
            forget_state(self._servers.folder)
            await asyncio.to_thread(self._servers.stop)

    def announce(self) -> None:
        """Leave word for neighbours."""
        write_state(
            self._servers.folder, StackState(environment=self._servers.environment(), long_running=self._lasting)
        )

    async def watch(self) -> None:
        """Restart what dies."""
        await self._supervisor.watch()


class SharedServers:
    """Servers and services of a `millwright up` in the same folder."""

    has_services = True

    def __init__(self, folder: Path) -> None:
        """Somebody holds the folder."""
        self._folder = folder

    @asynccontextmanager
    async def start(self) -> AsyncGenerator[dict[str, str]]:
        """Wait until the neighbour is ready."""
        try:
            async with asyncio.timeout(NEIGHBOUR_READY_S):
                while (state := read_state(self._folder)) is None:
                    if not is_held(self._folder):
                        raise self._gone()
                    await asyncio.sleep(POLL_S)
        except TimeoutError as error:
            raise UserError(f"the millwright that runs the servers in {self._folder} does not get ready") from error
        yield state.environment

    def announce(self) -> None:
        """The neighbour has done so."""

    async def watch(self) -> None:
        """Notice when the neighbour has gone."""
        while is_held(self._folder):  # noqa: ASYNC110 - another process' end is no event of ours
            await asyncio.sleep(POLL_S)
        raise self._gone()

    def _gone(self) -> UserError:
        return UserError(f"the millwright that ran the servers in {self._folder} has ended; start again")


class ExternalServers:
    """Servers that the environment names. We bring the services, unless they are there, too."""

    def __init__(self, environment: Mapping[str, str], supervisor: Supervisor, *, has_services: bool) -> None:
        """Reach nothing yet."""
        self.has_services = has_services
        self._environment = dict(environment)
        self._supervisor = supervisor

    @asynccontextmanager
    async def start(self) -> AsyncGenerator[dict[str, str]]:
        """Make sure that somebody listens at each address."""
        await wait_for_servers(self._environment)
        yield self._environment

    def announce(self) -> None:
        """They are known anyway."""

    async def watch(self) -> None:
        """Restart services that die."""
        await self._supervisor.watch()


def find_servers(surroundings: CliSettings, supervisor: Supervisor, *, lasting: bool, joins_any: bool) -> ServerSource:
    """Return where to stand: existing servers if the environment names them, else a neighbour's, else our own."""
    existing = surroundings.external_servers()
    if existing is not None:
        return ExternalServers(existing, supervisor, has_services=surroundings.services_elsewhere)
    folder = surroundings.millwright_data
    if is_held(folder) and not lasting:
        state = read_state(folder)
        if state is None or state.long_running or joins_any:
            return SharedServers(folder)
    return LocalServers(folder, supervisor, lasting=lasting)
