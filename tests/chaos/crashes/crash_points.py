"""Crash points: where a service kills itself, and the folder by which a test arms them.

An armed crash point is a file; the process that reaches it removes the file, so that it happens once.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args
from uuid import UUID

from contracts.envelope import Event, Service

WITHOUT_KERNELS = "without-kernels"
"""A benchmark in which no kernel starts."""
Point = Literal["before-publishing", "after-acknowledgement", "after-checkpoint", "taken-up", "before-acking"]
"""Points at which the publisher of an event can crash.

before-publishing: the event is decided and not published. after-acknowledgement: the broker has stored it.
after-checkpoint: the checkpoint has the decision, and no event of it is published (except `ModelCalled`, before).
taken-up: the message that leads to the event has just been delivered (for services without checkpoints), or the event
itself (for roles, before they act on it). before-acking: all events are published, and the message that led to them is
not acknowledged.
"""
POINTS: tuple[Point, ...] = get_args(Point)
_LOG = "crashes"


@dataclass(frozen=True)
class CrashPoint:
    """One crash of a service."""

    service: Service
    event: type[Event]
    point: Point

    def __str__(self) -> str:
        return f"{self.service}, {self.event.__name__}, {self.point}"


@dataclass(frozen=True)
class CrashPlan:
    """The folder that a test shares with all instrumented processes."""

    folder: Path

    def arm(self, crash: CrashPoint, run_id: UUID) -> None:
        """Let a crash happen once, in this run."""
        (self.folder / _name(crash.service, run_id, crash.event.__name__, crash.point)).touch()

    def take(self, service: str, run_id: UUID, events: Iterable[str], point: Point) -> list[str]:
        """Disarm the crash points of these events that are armed here; return the events."""
        taken: list[str] = []
        for event in events:
            try:
                (self.folder / _name(service, run_id, event, point)).unlink()
            except FileNotFoundError:
                continue
            taken.append(event)
        return taken

    def log(self, service: str, run_id: UUID, events: list[str], point: Point) -> None:
        """Record a crash, as the last action of the crashing process."""
        with (self.folder / _LOG).open("a") as log:
            log.write(f"{run_id} {service} {','.join(events)} {point}\n")
            log.flush()
            os.fsync(log.fileno())

    def pending(self, run_id: UUID) -> list[str]:
        """Return the armed crash points of a run."""
        return sorted(path.name for path in self.folder.glob(f"{run_id}.*"))

    def crashes(self, run_id: UUID) -> list[str]:
        """Return the crashes in a run, in order."""
        log = self.folder / _LOG
        lines = log.read_text().splitlines() if log.exists() else []
        return [line.split(maxsplit=1)[1] for line in lines if line.startswith(str(run_id))]


def _name(service: str, run_id: UUID, event: str, point: Point) -> str:
    return f"{run_id}.{service}.{event}.{point}"
