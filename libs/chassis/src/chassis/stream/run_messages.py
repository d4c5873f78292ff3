"""One run's events in the stream, from any position on, for readers that keep their place themselves."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple
from uuid import UUID

from contracts.envelope import Event
from nats.aio.client import Client

from chassis.errors import UnreadableError
from chassis.stream.parser import parse_message
from chassis.stream.reads import next_message, published_on
from chassis.subjects import run_filter

_log = logging.getLogger(__name__)


class StreamedEvent(NamedTuple):
    """An event with its place in the stream."""

    sequence: int
    event: Event
    """As it is stored: its large texts are cut, and `large_fields` names the whole ones."""


class RunMessages:
    """The messages of runs. Every call waits while the server is unavailable."""

    def __init__(self, client: Callable[[], Client]) -> None:
        self._client = client

    async def after(self, run_id: UUID, sequence: int) -> StreamedEvent | None:
        """Return the run's first event after a sequence number; None if there is none yet.

        Unreadable messages are left out: the service that owns their class reports them.
        """
        while (message := await next_message(self._client(), run_id, sequence)) is not None:
            sequence = message.seq or 0
            try:
                return StreamedEvent(sequence, parse_message(message.subject or "", message.data or b""))
            except UnreadableError as error:
                _log.warning("message %s on %s is unreadable and left out: %s", sequence, message.subject, error)
        return None

    def published(self, run_id: UUID) -> AbstractAsyncContextManager[asyncio.Event]:
        """Return a block with an event that is set whenever one of the run is published, before it is stored."""
        return published_on(self._client(), run_filter(run_id))
