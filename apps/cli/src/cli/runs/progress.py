"""A run as it happens, line by line."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Self

from contracts.envelope import Event, Request
from contracts.events.conversation import ModelCalled
from contracts.events.run import RunSucceeded
from rich.console import Console
from rich.text import Text

from cli.formatting import format_event
from cli.screen import line

DOING = {
    "planner": "planner plans",
    "critic": "critic reviews",
    "engineer": "engineer thinks",
    "skill-learner": "skill-learner looks back",
    "catalog": "catalog searches",
    "cad-worker": "cad-worker builds",
    "sim-worker": "sim-worker simulates",
}


class Doing:
    """What is being done, or waited for, each time the terminal asks."""

    def __init__(self, waiting: Callable[[], str | None]) -> None:
        """Nothing is done yet."""
        self.words = "the run begins"
        self._waiting = waiting

    def __rich__(self) -> Text:
        """Return it for the terminal."""
        return Text(self._waiting() or self.words)


class ProgressDisplay:
    """Prints what is worth a line, and says meanwhile, on a terminal, who is at work. Use it as a context."""

    def __init__(self, console: Console, waiting: Callable[[], str | None] = lambda: None) -> None:
        """Nothing is printed yet; `waiting` tells what the whole run waits for, if anything."""
        self._console = console
        self._doing = Doing(waiting)
        self._status = console.status(self._doing)
        self._begun: datetime | None = None

    def __enter__(self) -> Self:
        """Begin to say who is at work."""
        self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the terminal as it was."""
        self._status.stop()

    def show(self, event: Event) -> None:
        """Print one event, if it is worth a line."""
        self._begun = self._begun or event.occurred_at
        told = format_event(event)
        if told.severity != "quiet":
            at_s = max(0.0, (event.occurred_at - self._begun).total_seconds())
            self._console.print(line(told, event.role, at_s), soft_wrap=not self._console.is_terminal)
        self._doing.words = _next(event)


def _next(event: Event) -> str:
    """Return who is at work after this event."""
    if isinstance(event, RunSucceeded):
        return DOING["skill-learner"]
    if isinstance(event, Request):
        return DOING.get(event.owner, event.owner)
    if isinstance(event, ModelCalled):
        return f"{event.role} decides"
    return DOING.get(event.role, event.role)


@asynccontextmanager
async def closing(events: AsyncIterator[Event]) -> AsyncGenerator[AsyncIterator[Event]]:
    """Close a stream of events that is left before its end."""
    try:
        yield events
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
