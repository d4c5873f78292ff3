"""A NATS server with the registry of servers, and an open connection to it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from chassis.administration.provisioning import provision
from chassis.servers.access import open_registry
from chassis.servers.look_up import AnnouncedServers
from chassis.servers.registry import ServerKind, ServerRegistry
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.stream.reads import jetstream_of

from tests.support.clusters.nats_server import NatsServer


@asynccontextmanager
async def registry_in(folder: Path, kind: ServerKind) -> AsyncGenerator[tuple[ServerRegistry, AnnouncedServers]]:
    """Start a server; provide the registry, and a reader that reads each time."""
    server = NatsServer(folder)
    server.start()
    settings = BusSettings(nats_url=server.url)
    try:
        await provision(settings)
        async with open_registry(settings) as registry, connected("reader", settings) as client:
            yield registry, AnnouncedServers(lambda: jetstream_of(client), kind, read_every_s=0)
    finally:
        server.stop()
