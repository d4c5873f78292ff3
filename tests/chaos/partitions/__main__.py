"""A partition between each service and each server that it uses: `./run chaos partitions [--seconds 60]`.

Runs of the offline expert go on one after another, while one pair after the other is cut off for a while: connections
stay open and carry nothing, as when a switch fails. Exit code 1 if a run does not succeed, or if an event is missing or
doubled.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from contracts.envelope import Event
from sqlalchemy import make_url

from tests.chaos.run_load import RunLoad
from tests.deploy.test_images import COMPOSE, SERVERS_BY_NETWORK
from tests.support.clusters.cluster import ALL_SERVICES, Endpoints, in_process, start_cluster
from tests.support.measurements import setting, table

PAUSE_S = 15.0
"""Between two partitions."""
CHUNK = 1 << 16
LOOPBACK = "127.0.0.1"


@dataclass
class Link:
    """Carries connections to a server, until it is cut."""

    service: str
    server: str
    host: str
    port: int
    carries: asyncio.Event = field(default_factory=asyncio.Event)
    own_port: int = 0

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator["Link"]:
        """Listen on a port of its own."""
        self.carries.set()
        listening = await asyncio.start_server(self._connect, LOOPBACK)
        self.own_port = listening.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            self.carries.set()
            listening.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.carries.wait()
        try:
            there_reader, there_writer = await asyncio.open_connection(self.host, self.port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._carry(reader, there_writer), self._carry(there_reader, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(CHUNK):
                await self.carries.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass  # either end has gone; the other one learns it
        finally:
            await self.carries.wait()
            writer.close()


@dataclass(frozen=True)
class LinkedEndpoints(Endpoints):
    """Servers that each service reaches by links of its own; the command reaches them directly."""

    links: dict[tuple[str, str], Link] = field(default_factory=dict[tuple[str, str], Link])

    def settings(self, service: str = "") -> dict[str, Any]:
        """Return the fields of a service's settings."""
        linked = super().settings(service)
        if (link := self.links.get((service, "postgres"))) is not None:
            url = make_url(self.database_url).set(port=link.own_port)
            linked["database_url"] = url.render_as_string(hide_password=False)
        if (link := self.links.get((service, "minio"))) is not None:
            linked["s3_endpoint"] = f"{LOOPBACK}:{link.own_port}"
        return linked

    def nats_url_of(self, service: str) -> str:
        """Return the bus address of a service."""
        link = self.links.get((service, "nats"))
        return self.nats_url if link is None else _with_port(self.nats_url, link.own_port)


def _with_port(url: str, port: int) -> str:
    return f"{url.rpartition(':')[0]}:{port}"


def pairs(services: Sequence[str]) -> list[tuple[str, str]]:
    """Return each service with each server whose network its container has."""
    servers = {network: server for network, (server, _) in SERVERS_BY_NETWORK.items()}
    return [
        (service, servers[network])
        for service in services
        for network in COMPOSE["services"][service]["networks"]
        if network in servers
    ]


def link_of(service: str, server: str, endpoints: Endpoints) -> Link:
    """Return the link, closed."""
    database = make_url(endpoints.database_url)
    addresses = {
        "nats": endpoints.nats_url.rpartition("@")[2].removeprefix("nats://"),
        "postgres": f"{database.host}:{database.port}",
        "minio": endpoints.s3.s3_endpoint,
    }
    host, _, port = addresses[server].rpartition(":")
    return Link(service, server, host, int(port))


def main() -> int:
    """Print a row per partition, and what is wrong with runs."""
    parser = argparse.ArgumentParser(description="Cuts services off from servers while runs go on.")
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of each partition")
    parser.add_argument("--only", choices=ALL_SERVICES, action="append", help="services; default: all")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)  # outages are expected
    return asyncio.run(_measure(arguments.only or ALL_SERVICES, arguments.seconds))


async def _measure(services: Sequence[str], seconds: float) -> int:
    print(
        f"# Partitions between services and servers\n\n{setting()}\n- each for {seconds:g} s, runs one after another\n"
    )
    rows: list[tuple[str, ...]] = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with start_cluster(Path(folder) / "servers") as cluster, AsyncExitStack() as stack:
            direct = cluster.endpoints
            cut = pairs(services)
            links = {each: await stack.enter_async_context(link_of(*each, direct).opened()) for each in cut}
            linked = LinkedEndpoints(direct.nats_url, direct.database_url, direct.s3, links)
            async with in_process(linked) as client:
                load = RunLoad(client, _ignore)
                running = asyncio.create_task(load.keep_running(1))
                rows = [await _cut(links[pair], load, seconds) for pair in cut]
                load.is_closing = True
                await running
    print(table(("service", "server", "runs ended meanwhile", "runs ended after it"), rows))
    wrong = [each for each in load.audits if not each.is_clean]
    print(f"\n{len(rows)} partitions, {len(load.audits)} runs, {len(wrong)} wrong runs")
    for each in wrong:
        print(f"- {each}")
    return 1 if wrong else 0


def _ignore(run_id: UUID, events: Sequence[Event]) -> None:
    """The audit of a run has looked at them."""


async def _cut(link: Link, load: RunLoad, seconds: float) -> tuple[str, ...]:
    before = load.ended
    link.carries.clear()
    await asyncio.sleep(seconds)
    link.carries.set()
    meanwhile = load.ended
    await asyncio.sleep(PAUSE_S)
    print(f"{time.strftime('%X')} {link.service} {link.server}", file=sys.stderr, flush=True)
    return link.service, link.server, str(meanwhile - before), str(load.ended - meanwhile)


if __name__ == "__main__":
    sys.exit(main())
