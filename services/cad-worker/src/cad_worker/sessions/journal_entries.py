"""Entries of the one journal: what the engineer notes is added to journal.md before the session's next request."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol
from uuid import UUID

from chassis.bus import Bus
from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded

from cad_worker.sessions.session import Session


class JournalingRequest(Protocol):
    """A request that names journal entries."""

    @property
    def run_id(self) -> UUID:
        """The run."""
        ...

    @property
    def role(self) -> Role:
        """The role that makes it."""
        ...

    @property
    def journal_entries(self) -> tuple[UUID, ...]:
        """The entries that are not in journal.md yet."""
        ...


ReadEntries = Callable[[JournalingRequest], Awaitable[tuple[JournalEntryAdded, ...]]]


async def read_entries(request: JournalingRequest, bus: Bus) -> tuple[JournalEntryAdded, ...]:
    """Return the entries that a request names; they were published before it. Raises `LookupError` without them."""
    entries: list[JournalEntryAdded] = []
    for entry_id in request.journal_entries:
        entry = await bus.find(request.run_id, request.role, entry_id)
        if not isinstance(entry, JournalEntryAdded):
            raise LookupError(f"run {request.run_id} has no journal entry {entry_id}, which a request names")
        entries.append(entry)
    return tuple(entries)


def with_journal(
    handle: Callable[[Any], Awaitable[Event]], session: Session, read: ReadEntries
) -> Callable[[Any], Awaitable[Event]]:
    """Return the handler, which first adds the request's entries to the session's journal.md."""

    async def handle_with_journal(request: JournalingRequest) -> Event:
        await session.settle_documents()
        for entry in await read(request):
            await session.add_journal_entry(entry)
        return await handle(request)

    return handle_with_journal
