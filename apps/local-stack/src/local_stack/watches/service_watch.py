"""Service watch: reports to the user when a service hangs or is unwell, and when it is well again.

The supervisor notices only what dies. Trouble that a service ends by itself is logged, and not reported.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from chassis.background_tasks import BEGUN_AGAIN
from chassis.health import NO_ANSWER
from chassis.observability.health_file import read_problems

LOOK_S = 10.0
LASTING_LOOKS = 3
"""How often in a row a service must be unwell to be reported: many problems pass by themselves."""
SHOWN_CHARS = 300
PASSING = (BEGUN_AGAIN, NO_ANSWER, "it should be less than")
"""What problems say that end without the user: work is repeated, or is late. Health and doctor name them, too."""

_log = logging.getLogger(__name__)

Health = Callable[[], Awaitable[list[str]]]
"""Returns the problems of a service; see `chassis.app.App.health`."""


class ServiceWatch:
    """Asks each service for its problems all the time."""

    def __init__(self, report: Callable[[str], None], is_outage: Callable[[], bool], look_s: float = LOOK_S) -> None:
        """While `is_outage`, the problems of services are those of a server, which is reported already."""
        self._report = report
        self._is_outage = is_outage
        self._look_s = look_s
        self._services: dict[str, Health] = {}
        self._unwell: dict[str, int] = {}
        """How often in a row each service was."""

    def add(self, service: str, health: Health) -> None:
        """Ask this service, too."""
        self._services[service] = health

    async def watch(self) -> None:
        """Run for ever."""
        while True:
            await asyncio.sleep(self._look_s)
            for service, health in self._services.items():
                self._note(service, [] if self._is_outage() else await health())

    def _note(self, service: str, problems: list[str]) -> None:
        problems = self._lasting(service, problems)
        before = self._unwell.get(service, 0)
        self._unwell[service] = before + 1 if problems else 0
        if self._unwell[service] == LASTING_LOOKS:
            self._report(f"{service} is unwell: {problems[0][:SHOWN_CHARS]}")
        elif not problems and before >= LASTING_LOOKS:
            self._report(f"{service} is well again")

    def _lasting(self, service: str, problems: list[str]) -> list[str]:
        """Return the problems that do not end by themselves; log the others."""
        passing = [each for each in problems if any(sign in each for sign in PASSING)]
        for each in passing:
            _log.warning("%s: %s", service, each)
        return [each for each in problems if each not in passing]


def health_in(file: Path) -> Health:
    """Return the health of a process that writes it into a file; a process that is starting has none yet."""

    def read() -> list[str]:
        return read_problems(file) if file.exists() else []

    return partial(asyncio.to_thread, read)
