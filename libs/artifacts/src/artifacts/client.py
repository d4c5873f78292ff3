"""The artifact store: blobs in S3, uploaded from a local spool."""

import asyncio
from collections.abc import Iterable

from contracts.models.artifact import ArtifactRef, Sha256

from artifacts.bucket import Bucket
from artifacts.port import ArtifactError, ArtifactMissingError, BlobTooLargeError, reference, verified
from artifacts.retry import Downloads, retry_within
from artifacts.settings import S3Settings
from artifacts.spool import Spool
from artifacts.uploader import Uploader

SPOOL_POLL_S = 0.2


class Artifacts:
    """An `ArtifactStore` over one bucket. May be used from many tasks at once, between `start` and `stop`."""

    def __init__(self, settings: S3Settings) -> None:
        self._settings = settings
        self._bucket = Bucket(settings)
        self._spool = Spool(settings.artifacts_spool, f"{settings.s3_endpoint}-{settings.s3_bucket}")
        self._uploader = Uploader(self._spool, self._bucket)
        self._downloads = Downloads(self._bucket)
        self._write_lock = asyncio.Lock()

    async def start(self) -> None:
        """Create the bucket if it does not exist, and resume uploads of an earlier process.

        Raises `ArtifactsUnavailableError` if the server does not answer within `s3_connect_timeout_s`, denies access,
        or if the spool cannot be used.
        """
        await asyncio.to_thread(self._spool.open)
        self._bucket.open()
        await retry_within(self._settings.s3_connect_timeout_s, self._bucket.create)
        await self._uploader.start()

    async def stop(self) -> None:
        """Finish current uploads, within a time limit, and close all connections."""
        await self._uploader.stop()
        self._bucket.close()

    async def problem(self) -> str | None:
        """Return a description of a current outage and the blobs waiting for it, or None."""
        return self._uploader.problem() or self._downloads.problem()

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Write `data` to the spool and start its upload, also of what was uploaded before: its copy may be damaged.

        Waits while the spool is full. Raises `SpoolUnusableError` or `BlobTooLargeError`.
        """
        ref = await asyncio.to_thread(reference, data, media_type)
        async with self._write_lock:
            await self._wait_for_spool_space(ref)
            await asyncio.to_thread(self._spool.write, ref, data)
        self._uploader.forget(ref)
        self._uploader.upload(ref)
        return ref

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names; raise an `ArtifactError` if they are missing or damaged."""
        spooled = await asyncio.to_thread(self._spool.read, ref)
        if spooled is not None:
            return spooled
        try:
            data = await self._downloads.read(ref, lambda: self._bucket.get(ref))
            if data is None:
                raise ArtifactMissingError(ref, self._bucket.location)
            return await asyncio.to_thread(verified, ref, data)
        except ArtifactError:
            self._uploader.forget(ref)
            raise

    async def stored_size(self, sha256: Sha256) -> int | None:
        """Return the size in bytes of an uploaded blob; None if there is none with this digest."""
        return await self._downloads.read(_named(sha256), lambda: self._bucket.stored_size(_named(sha256)))

    async def get_part(self, sha256: Sha256, offset: int, length: int) -> bytes:
        """Return `length` (at least 1) bytes of an uploaded blob from `offset` on; the caller verifies the whole.

        Raises an `ArtifactError` if it is missing or damaged.
        """
        ref = _named(sha256)
        data = await self._downloads.read(ref, lambda: self._bucket.get_part(ref, offset, length))
        if data is None:
            raise ArtifactMissingError(ref, self._bucket.location)
        return data

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait until all these blobs are in S3, through outages; raise `ArtifactMissingError`."""
        unknown = {ref.sha256: ref for ref in refs if not self._uploader.is_uploaded(ref)}
        if unknown:
            await asyncio.gather(*map(self._uploader.wait_until_uploaded, unknown.values()))

    async def _wait_for_spool_space(self, ref: ArtifactRef) -> None:
        limit_bytes = self._settings.artifacts_spool_limit_bytes
        if ref.size_bytes > limit_bytes:
            raise BlobTooLargeError(ref.size_bytes, limit_bytes)
        while await asyncio.to_thread(self._spool.size_bytes) + ref.size_bytes > limit_bytes:  # noqa: ASYNC110 - other processes free space as well
            await asyncio.sleep(SPOOL_POLL_S)


def _named(sha256: Sha256) -> ArtifactRef:
    """Return a reference of which only the name counts."""
    return ArtifactRef(sha256=sha256, media_type="", size_bytes=0)
