"""Endpoints of one model that are announced in the registry, beside or in place of those of the settings."""

from collections.abc import Callable
from dataclasses import dataclass

from chassis.servers.look_up import AnnouncedServers
from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True)
class AnnouncedEndpoints:
    """Finds the servers of one model and makes their chat models."""

    model: str
    """Its full name."""
    servers: AnnouncedServers | None
    """None: nothing is looked up, as by a client that calls no model itself."""
    make_chat: Callable[[str], BaseChatModel]
    """By the base of the server's API."""
    joins_others: bool
    """Whether the endpoints of the settings are servers of this model, too, and not only a provider's default."""

    async def found(self) -> dict[str, int]:
        """Return the calls in progress of each server that is announced now, by the base of its API."""
        if self.servers is None:
            return {}
        return {each.url: each.busy for each in await self.servers.current() if each.model == self.model}
