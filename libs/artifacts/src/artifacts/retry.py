"""Waiting until something is back, and telling meanwhile that we wait."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

from artifacts.bucket import S3OutageError
from artifacts.port import ArtifactsUnavailableError

T = TypeVar("T")

FIRST_PAUSE_S = 0.1
LAST_PAUSE_S = 3.0
"""What is back is noticed within about this time."""
TELL_EVERY_S = 60.0

LAST_PAUSE_AT_START_S = 1.0

_log = logging.getLogger(__name__)


class Waiting:
    """Repeats calls until they succeed. One for all calls to the same server, so that its outage is told once."""

    def __init__(self) -> None:
        self._error: Exception | None = None
        self._since = datetime.now(UTC)
        self._told_s = float("-inf")
        self._waiting = 0

    def problem(self) -> str | None:
        """Return in words what is waited for, and since when; None if nobody waits."""
        if self._error is None or not self._waiting:
            return None
        return f"{self._error} (since {self._since:%Y-%m-%d %H:%M:%S} UTC)"

    async def wait_out(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat `call`, with growing and jittered pauses, while it raises `ArtifactsUnavailableError`."""
        try:
            done = await call()
        except ArtifactsUnavailableError as error:
            self._note(error)
            self._waiting += 1
            try:
                done = await self._repeat(call)
            finally:
                self._waiting -= 1
        self._note_success()
        return done

    async def _repeat(self, call: Callable[[], Awaitable[T]]) -> T:
        pause_s = FIRST_PAUSE_S
        while True:
            await asyncio.sleep(pause_s * random.uniform(0.75, 1.25))  # noqa: S311 - no secret
            pause_s = min(2 * pause_s, LAST_PAUSE_S)
            try:
                return await call()
            except ArtifactsUnavailableError as error:
                self._note(error)

    def _note(self, error: ArtifactsUnavailableError) -> None:
        if self._error is None:
            self._since = datetime.now(UTC)
        self._error = error
        if time.monotonic() - self._told_s >= TELL_EVERY_S:
            self._told_s = time.monotonic()
            _log.warning("waiting: %s", error)

    def _note_success(self) -> None:
        if self._error is not None:
            _log.warning("back again: %s", self._error)
        self._error = None
        self._told_s = float("-inf")


async def wait_within(limit_s: float, call: Callable[[], Awaitable[T]]) -> T:
    """Repeat `call`, with growing pauses, while it raises `AwayError`; let that out when `limit_s` have passed."""
    pause_s = FIRST_PAUSE_S
    deadline = asyncio.get_running_loop().time() + limit_s
    while True:
        try:
            return await call()
        except S3OutageError:
            if asyncio.get_running_loop().time() + pause_s > deadline:
                raise
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LAST_PAUSE_AT_START_S)
