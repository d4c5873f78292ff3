"""NATS and Postgres on a disk that loses in a power cut what they have not synced."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from chassis.administration.provisioning import provision
from chassis.settings import BusSettings
from local_stack.servers import postgres_home
from local_stack.servers.nats import Nats
from local_stack.servers.ports import free_ports
from local_stack.servers.postgres import Postgres
from local_stack.servers.stack_records import erase
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.chaos.volatile_disk import VolatileDisk
from tests.support.clusters.cluster import RestartingSupervisor
from tests.support.processes import signal_family, with_descendants

PASSWORD = "secret"
STACK = "power"


@dataclass(frozen=True)
class PowerServers:
    """Both servers; they lose power together."""

    nats: Nats
    postgres: Postgres
    disk: VolatileDisk
    supervisor: RestartingSupervisor

    async def cut(self) -> None:
        """Kill both, lose what they had not synced, and return when they work again."""
        pids = with_descendants(self.supervisor.pids().values())
        for pid in self.supervisor.pids().values():
            signal_family(pid, signal.SIGKILL)
        while any(self.supervisor.pids().values()) and with_descendants(pids):  # noqa: ASYNC110 - the kernel ends them
            await asyncio.sleep(0.01)
        await asyncio.to_thread(self.disk.lose_unsynced)
        for server in (self.nats, self.postgres):
            self.supervisor.restart(server.name)
        await asyncio.to_thread(self.supervisor.wait_until_ready)


@asynccontextmanager
async def started_on(disk: VolatileDisk, home: Path, sync_interval: str) -> AsyncGenerator[PowerServers]:
    """Start both with stream and tables, which are synced: what is tried is the work, not the installation."""
    stack = f"{STACK}-{home.name}"
    place = replace(postgres_home.prepare_home(home, stack), folder=disk.folder / "postgres")
    nats_port, postgres_port = free_ports(2)
    nats = Nats(disk.folder / "nats", nats_port, PASSWORD, home / "nats.log", sync_interval=sync_interval)
    postgres = Postgres(place, postgres_port, PASSWORD, home / "postgres.log")
    supervisor = RestartingSupervisor()
    supervisor.launch([nats, postgres])
    try:
        await asyncio.to_thread(supervisor.wait_until_ready)
        await provision(BusSettings(nats_url=nats.url))
        await migrate(DatabaseSettings(database_url=postgres.url))
        disk.sync()
        yield PowerServers(nats, postgres, disk, supervisor)
    finally:
        supervisor.stop()
        erase(stack)
