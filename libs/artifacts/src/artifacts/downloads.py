"""Reads of blobs: they wait out outages of the server, and name the blob that is damaged while the server is well."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from contracts.models.artifact import ArtifactRef

from artifacts.bucket import Bucket, S3OutageError
from artifacts.port import ArtifactUnreadableError, reference
from artifacts.retry import FIRST_PAUSE_S, OutageRetry

T = TypeVar("T")

PROOF_S = 6.0
"""How long a read is repeated while the server is well, before its blob counts as damaged."""
PROBE = b"Millwright stores and reads this text to learn whether the server is well.\n"
MAX_SUSPECTS = 10_000

_log = logging.getLogger(__name__)


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
