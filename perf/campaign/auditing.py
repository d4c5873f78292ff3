"""What the stream and Postgres say of one run, laid side by side."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from chassis.bus import ENDINGS
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import SessionClosed, SessionOpened
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.registry import REQUESTS
from store.errors import DatabaseOutageError

from perf.campaign.house import House

SETTLING_S = 120.0
"""How long after the end of a run, and after the last kill, everything owed may take."""


@dataclass(frozen=True)
class Audit:
    """One run's account."""

    run_id: UUID
    name: str
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])
    unrecorded: int = 0
    """Events in the stream that Postgres does not have."""
    events: int = 0


async def audit(house: House, run_id: UUID, name: str) -> tuple[Audit, list[datetime]]:
    """Wait a while for what is still owed, then say what is lost or stands twice, and when each event was said."""
    end_s = asyncio.get_running_loop().time() + SETTLING_S
    while True:
        events = await house.bus.history(run_id)
        recorded = await patiently(lambda: house.log.events_of(run_id))
        account = Audit(
            run_id,
            name,
            lost=_lost(events),
            doubled=[*_doubled(events), *_doubled(recorded)],
            unrecorded=len({event.id for event in events} ^ {event.id for event in recorded}),
            events=len(events),
        )
        if not (account.lost or account.unrecorded) or asyncio.get_running_loop().time() > end_s:
            return account, [event.occurred_at for event in events]
        await asyncio.sleep(1.0)


async def patiently(read: Callable[[], Awaitable[list[Event]]]) -> list[Event]:
    """Read from Postgres, which may just have been killed."""
    while True:
        try:
            return await read()
        except DatabaseOutageError:
            await asyncio.sleep(0.5)


def _lost(events: Sequence[Event]) -> list[str]:
    """Return what a run that succeeds should have and this one has not."""
    said = Counter(type(event) for event in events)
    failed = next((event for event in events if isinstance(event, RunFailed)), None)
    lost = [f"it failed ({failed.reason}): {failed.detail}"] if failed else []
    if not any(said[ending] for ending in ENDINGS):
        lost.append(f"it never ended; its last word is {type(events[-1]).__name__ if events else 'none'}")
    if said[RunSucceeded] and not said[SkillLearned] + said[SkillRejected]:
        lost.append("nobody learned from it")
    if said[SessionOpened] and not said[SessionClosed]:
        lost.append("its session is not closed")
    return lost


def _doubled(events: Sequence[Event]) -> list[str]:
    """Return ids that stand twice, requests with two outcomes, and a second end."""
    twice = [f"id {each} stands {count} times" for each, count in Counter(e.id for e in events).items() if count > 1]
    ends = [event.type for event in events if isinstance(event, ENDINGS)]
    if len(ends) > 1:
        twice.append(f"it ended {len(ends)} times: {', '.join(ends)}")
    for request in (event for event in events if isinstance(event, REQUESTS)):
        if isinstance(request, EngineeringRequested):
            continue
        outcomes = [e.type for e in events if e.causation_id == request.id and isinstance(e, request.outcomes)]
        if len(outcomes) > 1:
            twice.append(f"{request.type} {request.id} has {len(outcomes)} outcomes: {', '.join(outcomes)}")
    return twice
