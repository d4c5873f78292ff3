"""Subscriptions: which messages a service consumes, in which mode, and the handlers they reach."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from contracts.envelope import Event, Request, outcome_id

from chassis.bus import Fence
from chassis.errors import WrongAnswerError
from chassis.subjects import SubscriptionMode


@dataclass(frozen=True)
class Handler:
    """An async function from an event to the events that follow from it."""

    name: str
    """Name of the function in the source, for traces."""
    call: Callable[[Event], Awaitable[Sequence[Event]]]


@dataclass(frozen=True)
class Subscription:
    """One durable consumer and the handlers of its messages."""

    service: str
    durable: str
    filter_subject: str
    mode: SubscriptionMode
    handlers: Mapping[type[Event], Handler]
    """By event class; messages of other classes are acknowledged and ignored."""
    after_end: bool = False
    """Whether handlers are called even when the run has ended."""
    fence: Fence | None = None
    """Passed before a handler is called, and again before each of its events is published."""

    @property
    def has_outcome(self) -> bool:
        """Whether a message is a request with one outcome: its handler is not called when the outcome is stored."""
        return self.mode in {SubscriptionMode.ANSWER, SubscriptionMode.SERVE_THREAD}

    @property
    def limits_attempts(self) -> bool:
        """Whether a message is abandoned after too many attempts: deliveries before the scheduled time are not any."""
        return self.mode is not SubscriptionMode.SCHEDULE


class RedeliverLaterError(Exception):
    """Raised by a scheduled handler before its time, and by a repeating one after each call."""

    def __init__(self, delay_s: float) -> None:
        super().__init__(f"to be delivered again in {delay_s:g} s")
        self.delay_s = delay_s


def request_handler(function: Callable[[Any], Awaitable[Event]], *, publishes: bool = False) -> Handler:
    """Return the handler of a request, which raises `WrongAnswerError` unless `function` returns one of its outcomes.

    `publishes`: the function has published the outcome itself.
    """

    async def call(event: Event) -> Sequence[Event]:
        assert isinstance(event, Request)
        outcome = await function(event)
        if outcome.id != outcome_id(event.id) or type(outcome) not in event.outcomes:
            raise WrongAnswerError(
                f"{_name_of(function)} answered {type(event).__name__} with {type(outcome).__name__} {outcome.id}: "
                f"make it with `answering(request, ...)` and of one of {[each.__name__ for each in event.outcomes]}"
            )
        return [] if publishes else [outcome]

    return Handler(_name_of(function), call)


def event_handler(function: Callable[[Any], Awaitable[Sequence[Event]]]) -> Handler:
    """Return the handler of an event, which calls `function` once."""
    return Handler(_name_of(function), function)


def scheduled_handler(
    time_of: Callable[[Any], datetime], function: Callable[[Any], Awaitable[Sequence[Event]]]
) -> Handler:
    """Return a handler that calls `function` not before the time that `time_of` reads from the event."""

    async def call(event: Event) -> Sequence[Event]:
        delay_s = (time_of(event) - datetime.now(UTC)).total_seconds()
        if delay_s > 0:
            raise RedeliverLaterError(delay_s)
        return await function(event)

    return Handler(_name_of(function), call)


def repeating_handler(every_s: float, function: Callable[[Any], Awaitable[None]]) -> Handler:
    """Return a handler that calls `function` again and again."""

    async def call(event: Event) -> Sequence[Event]:
        await function(event)
        raise RedeliverLaterError(every_s)

    return Handler(_name_of(function), call)


def _name_of(function: Callable[..., Any]) -> str:
    """Return the name of a handler function in the source, through any `partial`."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__
