"""Blobs in S3, by way of a spool."""

import asyncio
from collections.abc import Iterable

from contracts.models.artifact import ArtifactRef

from artifacts.bucket import Bucket
from artifacts.port import ArtifactCorruptError, ArtifactMissingError, BlobTooLargeError, reference, verified
from artifacts.retry import Waiting, wait_within
from artifacts.settings import S3Settings
from artifacts.spool import Spool
from artifacts.uploader import Uploader

LOOK_FOR_ROOM_S = 0.2


class Artifacts:
    """An `ArtifactStore` over one bucket. May be used from many tasks at once, between `start` and `stop`."""

    def __init__(self, settings: S3Settings) -> None:
        self._settings = settings
        self._bucket = Bucket(settings)
        self._spool = Spool(settings.artifacts_spool, f"{settings.s3_endpoint}-{settings.s3_bucket}")
        self._uploader = Uploader(self._spool, self._bucket)
        self._reading = Waiting()
        self._writing = asyncio.Lock()

    async def start(self) -> None:
        """Make the bucket if there is none, and take up what was not uploaded.

        Raises `ArtifactsUnavailableError` if the server does not answer for `s3_connect_timeout_s`, does not let us in,
        or if the spool cannot be used.
        """
        await asyncio.to_thread(self._spool.open)
        self._bucket.open()
        await wait_within(self._settings.s3_connect_timeout_s, self._bucket.create)
        await self._uploader.start()

    async def stop(self) -> None:
        """Finish uploads under way, within limits, and close all connections."""
        await self._uploader.stop()
        self._bucket.close()

    async def problem(self) -> str | None:
        """Return what is away, since when, and what waits for it; None if nothing is."""
        return self._uploader.problem() or self._reading.problem()

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Keep `data` in the spool, from where it is uploaded, unless it is known to lie in S3.

        Waits while the spool is full. Raises `SpoolUnusableError` or `BlobTooLargeError`.
        """
        ref = await asyncio.to_thread(reference, data, media_type)
        if not self._uploader.knows(ref):
            async with self._writing:
                await self._until_room(ref)
                await asyncio.to_thread(self._spool.write, ref, data)
            self._uploader.send(ref)
        return ref

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names; raise `ArtifactMissingError` or `ArtifactCorruptError`."""
        spooled = await asyncio.to_thread(self._spool.read, ref)
        if spooled is not None:
            return spooled
        data = await self._reading.wait_out(lambda: self._bucket.get(ref))
        try:
            if data is None:
                raise ArtifactMissingError(ref, self._bucket.location)
            return await asyncio.to_thread(verified, ref, data)
        except (ArtifactMissingError, ArtifactCorruptError):
            self._uploader.forget(ref)
            raise

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait until all of these lie in S3, however long it is away; raise `ArtifactMissingError`."""
        unknown = {ref.sha256: ref for ref in refs if not self._uploader.knows(ref)}
        if unknown:
            await asyncio.gather(*map(self._uploader.wait_until_uploaded, unknown.values()))

    async def _until_room(self, ref: ArtifactRef) -> None:
        limit_bytes = self._settings.artifacts_spool_limit_bytes
        if ref.size_bytes > limit_bytes:
            raise BlobTooLargeError(ref.size_bytes, limit_bytes)
        while await asyncio.to_thread(self._spool.size_bytes) + ref.size_bytes > limit_bytes:  # noqa: ASYNC110 - other processes make room, too
            await asyncio.sleep(LOOK_FOR_ROOM_S)
