"""Lost replies: calls that were sent and not answered in full count as spent, and end a step that loses too many."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from uuid import UUID, uuid5

from chassis.bus import Bus
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyLost
from contracts.models.conversation import Usage

from agent.model.failures import ModelRefusedError, ReplyLostError
from agent.model.role_model import Answer
from agent.token_prices import NOTHING_SPENT, add_usage

MAX_SILENCES = 2
"""After this many silences of one call the model is taken to be too slow; the last one was given more time."""
MAX_LOST = 5
"""After this many lost replies of one call, of whatever kind, it is not made again."""

Ask = Callable[[int], Awaitable[Answer]]
"""Makes the call with so much patience."""


@dataclass(frozen=True)
class StepCall:
    """One model call of one step."""

    cause: Event
    """The event that the step is about."""
    step: int
    model: str
    purpose: str


class LostReplies:
    """The lost replies of one role, in the event log, so that every process counts the same."""

    def __init__(self, bus: Bus, role: Role) -> None:
        self._bus = bus
        self._role: Role = role

    async def guard(self, call: StepCall, ask: Ask) -> Answer:
        """Make a call; record it if its reply is lost, and raise the loss again, as an outage.

        Raises `ModelRefusedError` when too many replies to this call are lost.
        """
        lost = await self._of(call)
        _require_few(lost)
        await self._spent(call)  # what it cannot read, it meets before it pays
        try:
            return await ask(1 + _silences(lost))
        except ReplyLostError as error:
            loss = await self._loss(call, len(lost) + 1, error)
            await self._bus.publish(loss)
            _require_few([*lost, loss])
            raise

    async def _of(self, call: StepCall) -> list[ReplyLost]:
        lost = list[ReplyLost]()
        for attempt in count(1):
            stored = await self._bus.find(call.cause.run_id, self._role, self._id(call, attempt))
            if not isinstance(stored, ReplyLost):
                return lost
            lost.append(stored)
        raise AssertionError("`count` never ends")

    async def _loss(self, call: StepCall, attempt: int, error: ReplyLostError) -> ReplyLost:
        return ReplyLost(
            id=self._id(call, attempt),
            run_id=call.cause.run_id,
            kind=call.cause.kind,
            role=self._role,
            causation_id=call.cause.id,
            producer=self._role,
            model=call.model,
            step=call.step,
            attempt=attempt,
            reason="silence" if error.is_silent else "broken",
            problem=str(error),
            usage=error.usage,
            spent=add_usage(await self._spent(call), error.usage),
        )

    async def _spent(self, call: StepCall) -> Usage:
        """Return what the run's lost replies to this role have used so far."""
        before = await self._bus.latest(ReplyLost, call.cause.run_id, self._role)
        return NOTHING_SPENT if before is None else before.spent

    def _id(self, call: StepCall, attempt: int) -> UUID:
        return uuid5(call.cause.run_id, f"{self._role}:{call.step}:{call.purpose} lost {attempt}")


def _silences(lost: Sequence[ReplyLost]) -> int:
    return sum(each.reason == "silence" for each in lost)


def _require_few(lost: Sequence[ReplyLost]) -> None:
    silences = _silences(lost)
    if silences >= MAX_SILENCES:
        waited_s = sum(each.usage.duration_s for each in lost if each.reason == "silence")
        raise ModelRefusedError(
            f"{lost[-1].problem}: {silences} calls for this step waited {waited_s:,.0f} s in all, the last one twice "
            "as long, and each may be charged; allow more time by MODEL_TIMEOUT_S, or choose a faster model"
        )
    if len(lost) >= MAX_LOST:
        raise ModelRefusedError(f"{lost[-1].problem}: {len(lost)} replies to this step were lost on the way")
