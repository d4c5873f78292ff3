"""Where it is written who is to die when: one file per fate, taken away by the process that meets it."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from uuid import UUID

from contracts.envelope import Event
from contracts.publishers import Service

WITHOUT_KERNELS = "without-kernels"
"""In a benchmark of this name no kernel comes up."""
Point = Literal["before-publishing", "after-acknowledgement", "after-checkpoint", "taken-up", "before-acking"]
"""When the owner of an event dies.

before-publishing: it is decided and said to nobody. after-acknowledgement: the broker has stored it. after-checkpoint:
the role's thread remembers having decided it, and nothing that it decided is published (a `ModelCalled` is, before).
taken-up: for services that keep no checkpoint, when the message that it answers has just arrived; for a role, when it
hears the event, and has thought nothing of it yet. before-acking: all is
published, and the message that led to it is still the broker's to deliver again.
"""
POINTS: tuple[Point, ...] = get_args(Point)
_KILLED = "killed"


@dataclass(frozen=True)
class Fate:
    """One death."""

    service: Service
    event: type[Event]
    point: Point

    def __str__(self) -> str:
        """Name it for people."""
        return f"{self.service}, {self.event.__name__}, {self.point}"


@dataclass(frozen=True)
class Fates:
    """A folder that the test and all mortal processes share."""

    folder: Path

    def arm(self, fate: Fate, run_id: UUID) -> None:
        """Let this happen once, in this run."""
        (self.folder / _name(fate.service, run_id, fate.event.__name__, fate.point)).touch()

    def take(self, service: str, run_id: UUID, events: Iterable[str], point: Point) -> list[str]:
        """Return which of these events' fates are met here and now; nobody else meets them again."""
        taken: list[str] = []
        for event in events:
            try:
                (self.folder / _name(service, run_id, event, point)).unlink()
            except FileNotFoundError:
                continue
            taken.append(event)
        return taken

    def sign(self, service: str, run_id: UUID, events: list[str], point: Point) -> None:
        """Write down a death; the last thing that the dying does."""
        with (self.folder / _KILLED).open("a") as book:
            book.write(f"{run_id} {service} {','.join(events)} {point}\n")
            book.flush()
            os.fsync(book.fileno())

    def left(self, run_id: UUID) -> list[str]:
        """Return what was armed for a run and has not happened."""
        return sorted(path.name for path in self.folder.glob(f"{run_id}.*"))

    def kills(self, run_id: UUID) -> list[str]:
        """Return who was killed in a run, in order."""
        book = self.folder / _KILLED
        lines = book.read_text().splitlines() if book.exists() else []
        return [line.split(maxsplit=1)[1] for line in lines if line.startswith(str(run_id))]


def _name(service: str, run_id: UUID, event: str, point: Point) -> str:
    return f"{run_id}.{service}.{event}.{point}"
