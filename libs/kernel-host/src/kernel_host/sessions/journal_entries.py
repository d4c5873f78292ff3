"""What a session adds around requests: the engineer's notes to journal.md before each, and notices after a cell."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol
from uuid import UUID

from chassis.bus import Bus
from chassis.errors import FutureVersionError
from contracts.envelope import Role
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted
from contracts.events.skill import SkillUpdated
from contracts.skills import OfferedSkill

from kernel_host.sessions.session import Session


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
    """Return the entries that a request names; they were published before it.

    Raises `LookupError` without them, and `FutureVersionError` if this version cannot read one.
    """
    entries: list[JournalEntryAdded] = []
    for entry_id in request.journal_entries:
        entry = await bus.find(request.run_id, request.role, entry_id)
        if entry is None and await bus.is_stored(request.run_id, request.role, entry_id):
            detail = f"journal entry {entry_id} of run {request.run_id} cannot be read here: update this program"
            raise FutureVersionError("future_version", detail)
        if not isinstance(entry, JournalEntryAdded):
            raise LookupError(f"run {request.run_id} has no journal entry {entry_id}, which a request names")
        entries.append(entry)
    return tuple(entries)


async def add_entries(request: JournalingRequest, session: Session, bus: Bus) -> None:
    """Add the entries that a request names to the session's journal.md; errors as of `read_entries`."""
    await session.settle_documents()
    for entry in await read_entries(request, bus):
        await session.add_journal_entry(entry)


class SkillNotices:
    """Names once, after a cell, each skill that was adopted in a newer version.

    The session keeps the files that it began with: its agent has read them already.
    """

    def __init__(self, skills: Sequence[OfferedSkill], bus: Bus) -> None:
        self._own = {skill.name: skill.version for skill in skills}
        self._bus = bus
        self._shown: set[UUID] = set()

    async def add_to(self, completed: CellCompleted) -> CellCompleted:
        """Return the cell's outcome, with notices at the end of its output."""
        update = await self._bus.latest(SkillUpdated, completed.run_id) if self._own else None
        if update is None or update.id in self._shown:
            return completed
        self._shown.add(update.id)
        own = self._own
        newer = [each for each in update.skills if own.get(each.name, each.version) != each.version]
        if update.for_role != completed.role or not newer:
            return completed
        lines = [
            f"(skill {each.name}: version {each.version} was adopted; this session keeps version {own[each.name]})"
            for each in newer
        ]
        output = "\n".join(filter(None, [completed.observation.output.rstrip("\n"), *lines])) + "\n"
        observation = completed.observation.model_copy(update={"output": output})
        return completed.model_copy(update={"observation": observation})
