"""A run as it happens, line by line."""

from collections.abc import AsyncGenerator, AsyncIterator
from datetime import datetime

from contracts.conversation import ModelCalled
from contracts.engineering import RunSucceeded
from contracts.envelope import Event, Request
from rich.console import Console
from rich.status import Status
from rich.text import Text

from cli.screen import line
from cli.telling import gist

DOING = {
    "planner": "planner plans",
    "critic": "critic reviews",
    "engineer": "engineer thinks",
    "skill-learner": "skill-learner looks back",
    "cad-worker": "cad-worker builds",
    "sim-worker": "sim-worker simulates",
}


class Progress:
    """Prints what is worth a line, and says meanwhile, on a terminal, who is at work."""

    def __init__(self, console: Console) -> None:
        """Nothing is printed yet."""
        self._console = console
        self._begun: datetime | None = None

    async def show(self, events: AsyncIterator[Event]) -> AsyncGenerator[Event]:
        """Print and pass on."""
        with self._console.status(Text("the run begins")) as status:
            async for event in events:
                self._show(event, status)
                yield event

    def _show(self, event: Event, status: Status) -> None:
        self._begun = self._begun or event.occurred_at
        told = gist(event)
        if told.mood != "quiet":
            at_s = max(0.0, (event.occurred_at - self._begun).total_seconds())
            self._console.print(line(told, event.role, at_s), soft_wrap=not self._console.is_terminal)
        status.update(Text(_next(event)))


def _next(event: Event) -> str:
    """Return who is at work after this event."""
    if isinstance(event, RunSucceeded):
        return DOING["skill-learner"]
    if isinstance(event, Request):
        return DOING.get(event.owner, event.owner)
    if isinstance(event, ModelCalled):
        return f"{event.role} decides"
    return DOING.get(event.role, event.role)
