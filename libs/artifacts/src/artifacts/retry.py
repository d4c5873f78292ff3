"""Retries of calls to S3: for as long as an outage lasts, or within a time limit.

Reads name the blob that is damaged while the server is well.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

from contracts.models.artifact import ArtifactRef

from artifacts.bucket import Bucket, S3OutageError
from artifacts.port import ArtifactsUnavailableError, ArtifactUnreadableError, reference

T = TypeVar("T")

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 3.0
"""The end of an outage is noticed after about this time."""
LONGEST_PAUSE_AT_START_S = 1.0
LOG_EVERY_S = 60.0
PROOF_S = 6.0
"""How long a read is repeated while the server is well, before its blob counts as damaged."""
PROBE = b"Millwright stores and reads this text to learn whether the server is well.\n"
MAX_SUSPECTS = 10_000

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


class Downloads:
    """Reads through a bucket that is open.

    A server that finds a stored blob damaged answers as in an outage, or hangs, but only for this blob. So after a read
    that failed, the server has to store and return another blob, before and after the read was repeated in vain.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._retry = OutageRetry()
        self._suspects: set[str] = set()
        """Digests of blobs that counted as damaged; the next read of one does not wait for the server's time limit."""

    def problem(self) -> str | None:
        """Return a description of the outage for which reads are waiting, or None."""
        return self._retry.problem()

    async def read(self, ref: ArtifactRef, function: Callable[[], Awaitable[T]]) -> T:
        """Call `function`, which reads the blob of `ref`, until it succeeds; raise `ArtifactUnreadableError`."""
        return await self._retry.call(lambda: self._read(ref, function))

    async def _read(self, ref: ArtifactRef, function: Callable[[], Awaitable[T]]) -> T:
        if ref.sha256 not in self._suspects:
            try:
                return await function()
            except S3OutageError as error:
                _log.warning("artifact %s cannot be read now: %s", ref.sha256, error)
        await self._require_service()
        try:
            async with asyncio.timeout(PROOF_S):
                result = await self._repeat(function)
        except TimeoutError as error:
            await self._require_service()
            self._suspect(ref)
            raise ArtifactUnreadableError(ref, self._bucket.location) from error
        self._suspects.discard(ref.sha256)
        return result

    async def _repeat(self, function: Callable[[], Awaitable[T]]) -> T:
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                return await function()
            except S3OutageError:
                await asyncio.sleep(pause_s)
            pause_s *= 2

    async def _require_service(self) -> None:
        """Raise `S3OutageError` unless the server stores a blob and returns it."""
        probe = reference(PROBE, "text/plain")
        await self._bucket.put(probe, PROBE)
        if await self._bucket.get(probe) != PROBE:
            raise S3OutageError(self._bucket.location, f"it does not return {probe.sha256}, which it has just accepted")

    def _suspect(self, ref: ArtifactRef) -> None:
        if len(self._suspects) < MAX_SUSPECTS:
            self._suspects.add(ref.sha256)
