"""Control of a run over the bus: follow it, cancel it, warn when no service claims it, wait until it is recorded."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from uuid import UUID

from agent.token_prices import RULE_BASED
from chassis.background_tasks import cancel_and_wait
from chassis.bus import Bus
from contracts.envelope import Event
from contracts.events.run import (
    EngineeringQueued,
    EngineeringRequested,
    EngineeringStarted,
    RunFailed,
    RunSucceeded,
)
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.settings import COMMAND
from local_stack.errors import COMPOSE, UserError
from run_requests.cancellation import cancel_request
from store.errors import DatabaseOutageError
from store.log import EventLog

LEARNING_S = 20.0
"""How long the offline skill-learner may take after the verdict."""
MODEL_LEARNING_S = 180.0
"""The same with a language model, which writes for a minute and may be asked to correct its skill."""
CANCELLATION_S = 30.0
CLAIM_S = 30.0
RECORDING_S = 30.0
DEADLINE_GRACE_S = 30.0
"""How long after its deadline a run that no service ends is followed: the planner may be slow, or gone."""
POLL_S = 0.1
PLACE_S = 2.0
"""Interval of looking up a waiting run's place."""

_LAST_EVENTS = (RunFailed, SkillLearned, SkillRejected)


def learning_s(model: str) -> float:
    """Return how long the skill-learner may take after the verdict."""
    return LEARNING_S if model in RULE_BASED else MODEL_LEARNING_S


def unfinished_learning(events: Iterable[Event], run_id: UUID) -> str:
    """Return a line for the user if the run succeeded and its skill-learner is not done; else nothing."""
    if any(isinstance(event, _LAST_EVENTS) for event in events):
        return ""
    return f"the skill-learner is not done yet; what it learns will be in `{COMMAND} events {run_id}`"


async def follow_run(
    bus: Bus,
    run_id: UUID,
    show: Callable[[Event], None],
    has_outage: Callable[[], bool],
    linger_s: float = LEARNING_S,
) -> dict[UUID, Event]:
    """Show each event of a run once, up to its last one or until `linger_s` after its end; return all by id.

    The skill-learner may be waiting for a server: during an outage, and once more after it, the wait begins again.
    """
    events: dict[UUID, Event] = {}
    had_outage = True
    while had_outage and not any(isinstance(event, _LAST_EVENTS) for event in events.values()):
        had_outage = has_outage()
        async with closing(bus.follow(run_id, linger_s=linger_s)) as followed:
            async for event in followed:
                if event.id not in events:
                    events[event.id] = event
                    show(event)
                if isinstance(event, _LAST_EVENTS):
                    break
        had_outage = had_outage or has_outage()
    return events


@asynccontextmanager
async def closing(events: AsyncIterator[Event]) -> AsyncGenerator[AsyncIterator[Event]]:
    """Close what `Bus.follow` returns, also if it is not read to its end."""
    try:
        yield events
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()


async def cancel_run(bus: Bus, opening: Event, timeout_s: float = CANCELLATION_S) -> Event | None:
    """Request the cancellation of the run that `opening` began; return its end, None if it does not end in time."""

    async def request_and_wait() -> Event | None:
        try:
            async with asyncio.timeout(timeout_s):
                await bus.publish(cancel_request(opening, "cli"))
                return await bus.wait_for_end(opening.run_id)
        except TimeoutError:
            return None

    # In a task of its own: before Python 3.11.4, no time limit works in a task that was cancelled (gh-102780).
    return await asyncio.create_task(request_and_wait())


@asynccontextmanager
async def warn_if_unclaimed(report: Callable[[str], None], after_s: float = CLAIM_S) -> AsyncGenerator[asyncio.Event]:
    """Yield an event to set once a service has answered; if it is not set in time, warn the user once."""
    claimed = asyncio.Event()

    async def warn() -> None:
        try:
            async with asyncio.timeout(after_s):
                await claimed.wait()
        except TimeoutError:
            report(
                f"no service has claimed the run for {after_s:g} s: are the services running (in containers: "
                f"`{COMPOSE} ps`)? The run waits and resumes by itself"
            )

    task = asyncio.create_task(warn(), name="warn if unclaimed")
    try:
        yield claimed
    finally:
        await cancel_and_wait(task)


async def count_unrecorded(log: EventLog, run_id: UUID, ids: set[UUID]) -> int:
    """Wait until Postgres has all these events of a run; return how many are still missing after `RECORDING_S`."""
    deadline = time.monotonic() + RECORDING_S
    missing = ids
    while time.monotonic() < deadline:
        try:
            missing = ids - await log.ids_of(run_id)
        except DatabaseOutageError:  # the outage watch reports it, and ends the command if it lasts
            deadline = time.monotonic() + RECORDING_S
        if not missing:
            break
        await asyncio.sleep(POLL_S)
    return len(missing)


@asynccontextmanager
async def follow_place(
    bus: Bus, run_id: UUID, show: Callable[[int], None], every_s: float = PLACE_S
) -> AsyncGenerator[None]:
    """Show again and again how many runs wait before this one, as long as it waits."""

    async def follow() -> None:
        while run_id in (waiting := (await bus.queue()).waiting):
            show(waiting.index(run_id))
            await asyncio.sleep(every_s)

    task = asyncio.create_task(follow(), name="follows the place in the queue")
    try:
        yield
    finally:
        await cancel_and_wait(task)


class OwnDeadline:
    """When the command gives up a run that no service ends: it counts as the planner's deadline does."""

    def __init__(self, deadline_s: float, grace_s: float, timeout: asyncio.Timeout) -> None:
        self._allowed_s = deadline_s + grace_s
        self._timeout = timeout
        self._has_started = False

    def note(self, event: Event) -> None:
        """Wait without limit while the run waits for a slot and once it has ended; count from its start.

        With two replicas of the planner the wait may be published after the start.
        """
        if isinstance(event, EngineeringStarted):
            self._has_started = True
            self._timeout.reschedule(asyncio.get_running_loop().time() + self._allowed_s)
        elif isinstance(event, RunSucceeded | RunFailed) or (
            isinstance(event, EngineeringQueued) and not self._has_started
        ):
            self._timeout.reschedule(None)


@asynccontextmanager
async def own_deadline(request: EngineeringRequested, grace_s: float = DEADLINE_GRACE_S) -> AsyncGenerator[OwnDeadline]:
    """Yield a deadline that gives up the run if no service ends it in time; it must be shown every event.

    Raises `UserError`. The deadline itself is the planner's, which ends the run with the reason.
    """
    deadline_s = request.budget.deadline_s
    try:
        async with asyncio.timeout(deadline_s + grace_s) as timeout:
            yield OwnDeadline(deadline_s, grace_s, timeout)
    except TimeoutError as error:
        raise UserError(
            f"no service ended run {request.run_id} within its deadline of {deadline_s:g} s and {grace_s:g} s more: "
            f"see `{COMMAND} doctor`; `{COMMAND} cancel {request.run_id}` keeps it from resuming later"
        ) from error
