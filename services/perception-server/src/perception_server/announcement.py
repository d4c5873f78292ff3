"""The entry of this server in the registry of servers, renewed while it works."""

import asyncio
from collections.abc import Callable

from chassis.servers.access import open_registry
from chassis.servers.registry import AnnouncedServer
from chassis.settings import BusSettings

EVERY_S = 5.0
TTL_S = 20.0
"""How long a server that was killed is still announced."""


async def announce(settings: BusSettings, url: str, busy: Callable[[], int]) -> None:
    """Announce the server at `url` again and again; withdraw it when this is cancelled."""
    async with open_registry(settings) as registry:
        server = AnnouncedServer(kind="perception", url=url, ttl_s=TTL_S)
        try:
            while True:
                await registry.announce(server.model_copy(update={"busy": busy()}))
                await asyncio.sleep(EVERY_S)
        finally:
            await registry.withdraw(server)
