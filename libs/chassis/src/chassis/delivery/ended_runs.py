"""Which runs have ended, remembered, so that not every message costs a look.

A run that was seen going on is believed to go on while three things hold: the look is recent, the connection has not
been lost since, and nobody was heard saying that the run ends. Ends are told to every connected client before anything
that is said after them, so a message that follows the end meets a look, as it would without a memory.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

MOST_REMEMBERED = 10_000

STORED_WITHIN_S = 2.0
"""An end is heard a moment before it is stored. Until this time has passed, a look that finds no end proves nothing."""


@dataclass(frozen=True)
class Look:
    """A look that found no end."""

    at_s: float
    """When it began, on the monotonic clock."""
    connection: int
    """How often the client had reconnected by then."""


class EndedRuns:
    """What one app knows of the ends of runs."""

    def __init__(
        self, look: Callable[[UUID], Awaitable[object | None]], connection: Callable[[], int], lasting_s: float
    ) -> None:
        """`look` asks the log; a run found going on is asked for again after `lasting_s`."""
        self._look = look
        self._connection = connection
        self._lasting_s = lasting_s
        self._ended: dict[UUID, None] = {}
        self._going_on: dict[UUID, Look] = {}
        self._heard_s: dict[UUID, float] = {}

    def hear(self, run_id: UUID) -> None:
        """Somebody says that the run ends. That counts once it is stored: ask the log from now on."""
        self._going_on.pop(run_id, None)
        _remember(self._heard_s, run_id, time.monotonic())

    def was_heard(self, run_id: UUID) -> bool:
        """Tell whether somebody has said so lately, so that it may be stored any moment."""
        return time.monotonic() - self._heard_s.get(run_id, float("-inf")) < STORED_WITHIN_S

    async def has_ended(self, run_id: UUID) -> bool:
        """Tell from memory, or look."""
        return run_id in self._ended or (not self._goes_on(run_id) and await self.look(run_id))

    async def look(self, run_id: UUID) -> bool:
        """Ask the log, whatever is remembered."""
        began = Look(time.monotonic(), self._connection())
        if await self._look(run_id) is not None:
            _remember(self._ended, run_id, None)
            return True
        if not self.was_heard(run_id):
            _remember(self._going_on, run_id, began)
        return False

    def _goes_on(self, run_id: UUID) -> bool:
        look = self._going_on.get(run_id)
        return (
            look is not None
            and look.connection == self._connection()
            and time.monotonic() - look.at_s < self._lasting_s
        )


V = TypeVar("V")


def _remember(memory: dict[UUID, V], run_id: UUID, what: V) -> None:
    """Keep the newest; the oldest go."""
    memory.pop(run_id, None)
    memory[run_id] = what
    if len(memory) > MOST_REMEMBERED:
        del memory[next(iter(memory))]
