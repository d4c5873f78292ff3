"""Verification of everything that a bucket holds, for diagnostics: each blob is read and compared with its name."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from contracts.models.artifact import ArtifactRef
from minio import Minio

from artifacts.bucket import Bucket, S3OutageError
from artifacts.settings import S3Settings

PREFIX = "sha256/"
READS_AT_ONCE = 4


@dataclass(frozen=True)
class DamagedBlob:
    """A blob that is not what its name says, and how that shows."""

    sha256: str
    problem: str


@dataclass(frozen=True)
class StoredBlobs:
    """What a bucket holds."""

    count: int
    size_bytes: int
    damaged: Sequence[DamagedBlob]


async def verify_blobs(settings: S3Settings) -> StoredBlobs:
    """Read all blobs of a bucket; raise `ArtifactsUnavailableError` if the server does not answer."""
    bucket = Bucket(settings)
    bucket.open()
    try:
        refs = await bucket.call(_list)
        reading = asyncio.Semaphore(READS_AT_ONCE)
        found = await asyncio.gather(*(_verify(bucket, ref, reading) for ref in refs))
        await bucket.call(lambda client, name: client.bucket_exists(name))  # else one outage would blame all blobs
    finally:
        bucket.close()
    return StoredBlobs(len(refs), sum(ref.size_bytes for ref in refs), [each for each in found if each is not None])


def _list(client: Minio, bucket: str) -> list[ArtifactRef]:
    return [
        ArtifactRef(sha256=each.object_name.rpartition("/")[2], media_type="", size_bytes=each.size or 0)
        for each in client.list_objects(bucket, prefix=PREFIX, recursive=True)
        if each.object_name
    ]


async def _verify(bucket: Bucket, ref: ArtifactRef, reading: asyncio.Semaphore) -> DamagedBlob | None:
    async with reading:
        try:
            data = await bucket.get(ref)
        except S3OutageError as error:
            if await bucket.stored_size(ref) is None:
                return None
            return DamagedBlob(ref.sha256, f"cannot be read: {error}")
    if data is None:  # deleted meanwhile
        return None
    digest = await asyncio.to_thread(lambda: sha256(data).hexdigest())
    return None if digest == ref.sha256 else DamagedBlob(ref.sha256, f"its bytes have the sha256 {digest}")
