"""What a service has promised to do with a message, in one form for every manner of reading."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from contracts.envelope import Event, Request, outcome_id

from chassis.errors import WrongAnswerError
from chassis.leases.lease import Fence
from chassis.observability.telemetry import name_of
from chassis.stream.subjects import Manner

Act = Callable[[Event], Awaitable[Sequence[Event]]]
"""From an event to what is to be published because of it."""


@dataclass(frozen=True)
class Handler:
    """What is done with one class of events."""

    name: str
    """How the handler is called in the source, for traces."""
    act: Act


@dataclass(frozen=True)
class Subscription:
    """One durable consumer and what is done with its messages."""

    service: str
    durable: str
    filter_subject: str
    manner: Manner
    deeds: Mapping[type[Event], Handler]
    """What to do with which class."""
    after_end: bool = False
    """Act even when the run has ended."""
    fence: Fence | None = None
    """What must be passed before acting, and again before what came of it is said."""

    @property
    def answers(self) -> bool:
        """Whether a message is a request with one outcome, which is looked up before it is worked for."""
        return self.manner in {"answers", "attends"}

    @property
    def gives_up(self) -> bool:
        """Whether it is abandoned after too many tries. A reminder is put off many times without being tried."""
        return self.manner != "reminds"


class NotDueError(Exception):
    """A reminder that came before its time, or is to come again."""

    def __init__(self, delay_s: float) -> None:
        super().__init__(f"due in {delay_s:g} s")
        self.delay_s = delay_s


def answering(handler: Callable[[Any], Awaitable[Event | None]]) -> Handler:
    """Return the deed of a handler that answers: its outcome, checked; none if it has published the outcome itself."""

    async def act(event: Event) -> Sequence[Event]:
        assert isinstance(event, Request)
        outcome = await handler(event)
        if outcome is None:
            return []
        if outcome.id != outcome_id(event.id) or type(outcome) not in event.outcomes:
            raise WrongAnswerError(
                f"{name_of(handler)} answered {type(event).__name__} with {type(outcome).__name__} {outcome.id}: "
                f"make it with `answering(request, ...)` and of one of {[each.__name__ for each in event.outcomes]}"
            )
        return [outcome]

    return Handler(name_of(handler), act)


def hearing(handler: Callable[[Any], Awaitable[Sequence[Event]]]) -> Handler:
    """Return the deed of a handler that listens."""
    return Handler(name_of(handler), handler)


def reminding(due: Callable[[Any], datetime], handler: Callable[[Any], Awaitable[Sequence[Event]]]) -> Handler:
    """Return the deed of a handler that is to be called at a certain time."""

    async def act(event: Event) -> Sequence[Event]:
        delay_s = (due(event) - datetime.now(UTC)).total_seconds()
        if delay_s > 0:
            raise NotDueError(delay_s)
        return await handler(event)

    return Handler(name_of(handler), act)


def watching(every_s: float, handler: Callable[[Any], Awaitable[None]]) -> Handler:
    """Return the deed of a handler that is to be called again and again."""

    async def act(event: Event) -> Sequence[Event]:
        await handler(event)
        raise NotDueError(every_s)

    return Handler(name_of(handler), act)
