"""The progress of a run on the terminal: a line for each event, and a status line."""

from collections.abc import Callable
from datetime import datetime
from typing import Self

from contracts.envelope import Event, Request
from contracts.event_format import format_event
from contracts.events.conversation import ModelCalled
from contracts.events.run import EngineeringQueued, RunSucceeded
from contracts.text import counted
from rich.console import Console
from rich.text import Text

from cli.screen import run_line

ACTIVITIES = {
    "planner": "planner plans",
    "critic": "critic reviews",
    "engineer": "engineer thinks",
    "skill-learner": "skill-learner looks back",
    "catalog": "catalog searches",
    "benchmark-generator": "benchmark-generator writes",
    "spatial-agent": "spatial-agent thinks",
    "cad-worker": "cad-worker builds",
    "sim-worker": "sim-worker simulates",
    "perception-worker": "perception-worker looks",
}


def place_text(ahead: int) -> str:
    """Return what a run does that waits for a slot."""
    return f"waiting for a free slot: {counted(ahead, 'run')} before this one"


class StatusLine:
    """The present outages or else the present activity, whenever the terminal draws it."""

    def __init__(self, waiting: Callable[[], str | None]) -> None:
        """`waiting` returns what the run waits for, if anything."""
        self.activity = "starting the run"
        self._waiting = waiting

    def __rich__(self) -> Text:
        """Return it for the terminal."""
        return Text(self._waiting() or self.activity)


class ProgressDisplay:
    """Prints the lines of events, without details; on a terminal it also shows the active role. Use it in `with`."""

    def __init__(self, console: Console, waiting: Callable[[], str | None] = lambda: None) -> None:
        """Print nothing yet; `waiting` returns what the run waits for, if anything."""
        self._console = console
        self._line = StatusLine(waiting)
        self._status = console.status(self._line)
        self._begun: datetime | None = None

    def __enter__(self) -> Self:
        """Show the status line."""
        self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Remove the status line."""
        self._status.stop()

    def show_place(self, ahead: int) -> None:
        """Show in the status line how many runs wait before this one."""
        self._line.activity = place_text(ahead)

    def show(self, event: Event) -> None:
        """Print one event, and update the status line."""
        self._begun = self._begun or event.occurred_at
        line = format_event(event)
        if line.severity != "detail":
            at_s = max(0.0, (event.occurred_at - self._begun).total_seconds())
            self._console.print(run_line(line, event.role, at_s), soft_wrap=not self._console.is_terminal)
        self._line.activity = _activity_after(event)


def _activity_after(event: Event) -> str:
    if isinstance(event, EngineeringQueued):
        return place_text(event.ahead)
    if isinstance(event, RunSucceeded):
        return ACTIVITIES["skill-learner"]
    if isinstance(event, Request):
        return ACTIVITIES.get(event.owner, event.owner)
    if isinstance(event, ModelCalled):
        return f"{event.role} decides"
    return ACTIVITIES.get(event.role, event.role)
