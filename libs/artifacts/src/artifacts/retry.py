"""Retries of calls to S3: for as long as an outage lasts, or within a time limit."""

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
LONGEST_PAUSE_S = 3.0
"""The end of an outage is noticed after about this time."""
LONGEST_PAUSE_AT_START_S = 1.0
LOG_EVERY_S = 60.0

_log = logging.getLogger(__name__)


class OutageRetry:
    """Retries calls until they succeed. All calls to one server share it, so that an outage is logged only once."""

    def __init__(self) -> None:
        self._error: Exception | None = None
        self._since = datetime.now(UTC)
        self._logged_s = float("-inf")
        self._waiting_calls = 0

    def problem(self) -> str | None:
        """Return a description of the outage for which calls are waiting, or None."""
        if self._error is None or not self._waiting_calls:
            return None
        return f"{self._error} (since {self._since:%Y-%m-%d %H:%M:%S} UTC)"

    async def call(self, function: Callable[[], Awaitable[T]]) -> T:
        """Call a function until it does not raise `ArtifactsUnavailableError`, with growing, jittered pauses."""
        try:
            result = await function()
        except ArtifactsUnavailableError as error:
            self._record_outage(error)
            self._waiting_calls += 1
            try:
                result = await self._retry(function)
            finally:
                self._waiting_calls -= 1
        self._record_success()
        return result

    async def _retry(self, function: Callable[[], Awaitable[T]]) -> T:
        pause_s = FIRST_PAUSE_S
        while True:
            await asyncio.sleep(pause_s * random.uniform(0.75, 1.25))  # noqa: S311 - not used for security
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            try:
                return await function()
            except ArtifactsUnavailableError as error:
                self._record_outage(error)

    def _record_outage(self, error: ArtifactsUnavailableError) -> None:
        if self._error is None:
            self._since = datetime.now(UTC)
        self._error = error
        if time.monotonic() - self._logged_s >= LOG_EVERY_S:
            self._logged_s = time.monotonic()
            _log.warning("waiting: %s", error)

    def _record_success(self) -> None:
        if self._error is not None:
            _log.warning("available again: %s", self._error)
        self._error = None
        self._logged_s = float("-inf")


async def retry_within(limit_s: float, function: Callable[[], Awaitable[T]]) -> T:
    """Call a function until it does not raise `S3OutageError`; raise that error when `limit_s` have passed."""
    pause_s = FIRST_PAUSE_S
    deadline = asyncio.get_running_loop().time() + limit_s
    while True:
        try:
            return await function()
        except S3OutageError:
            if asyncio.get_running_loop().time() + pause_s > deadline:
                raise
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_AT_START_S)
