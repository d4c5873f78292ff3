"""Inspection of an S3 server, and of everything in its bucket, for diagnostics.

It leaves no trace: the small test blob that it stores and reads back is deleted.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from io import BytesIO
from uuid import uuid4

from contracts.models.artifact import ArtifactRef
from contracts.settings import FailureKind, ServerInspectionError
from minio import Minio
from minio.error import InvalidResponseError, S3Error, ServerError
from urllib3 import PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError, MaxRetryError, NewConnectionError
from urllib3.exceptions import TimeoutError as SlowError

from artifacts.bucket import Bucket, S3OutageError
from artifacts.connections import make_pool
from artifacts.settings import S3Settings

TEST_BLOB_BYTES = 4096
PREFIX = "sha256/"
READS_AT_ONCE = 4

DENIED_CODES = {
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "AuthorizationHeaderMalformed",
    "403",
}


@dataclass(frozen=True)
class S3State:
    """The state of an S3 server."""

    server: str
    """The name that it reports."""
    time: datetime | None
    """The server's clock, in whole seconds."""
    has_bucket: bool
    round_trip_s: float | None
    """Time to store, read and delete a small blob; None without a bucket."""


async def inspect(settings: S3Settings, timeout_s: float) -> S3State:
    """Return the state of the server; raise `ServerInspectionError` if it is unavailable or faulty."""
    try:
        async with asyncio.timeout(3 * timeout_s):
            return await asyncio.to_thread(_inspect, settings, timeout_s)
    except TimeoutError as error:
        raise ServerInspectionError("no_answer", f"no answer within {3 * timeout_s:g} s") from error


def _inspect(settings: S3Settings, timeout_s: float) -> S3State:
    pool = make_pool(settings, timeout=Timeout(connect=timeout_s, read=timeout_s), retries=Retry(total=0))
    client = Minio(
        settings.s3_endpoint,
        access_key=settings.s3_access_key,
        secret_key=settings.s3_secret_key,
        secure=settings.s3_secure,
        region=settings.s3_region,
        http_client=pool,
    )
    try:
        return _state(client, pool, settings)
    except S3Error as error:
        kind: FailureKind = "unauthorized" if error.code in DENIED_CODES else "broken"
        raise ServerInspectionError(kind, f"{error.code}: {error.message}") from error
    except (InvalidResponseError, ServerError) as error:
        raise ServerInspectionError("broken", str(error)) from error
    except HTTPError as error:
        cause = error.reason if isinstance(error, MaxRetryError) else error
        is_slow = isinstance(cause, SlowError) and not isinstance(cause, NewConnectionError)
        detail = f"no answer within {timeout_s:g} s" if is_slow else str(cause)
        raise ServerInspectionError("no_answer" if is_slow else "refused", detail) from error
    finally:
        pool.clear()


def _state(client: Minio, pool: PoolManager, settings: S3Settings) -> S3State:
    scheme = "https" if settings.s3_secure else "http"
    reply = pool.request("GET", f"{scheme}://{settings.s3_endpoint}/")
    has_bucket = client.bucket_exists(settings.s3_bucket)
    return S3State(
        server=reply.headers.get("Server", "S3"),
        time=_time(reply.headers.get("Date")),
        has_bucket=has_bucket,
        round_trip_s=_round_trip_s(client, settings.s3_bucket) if has_bucket else None,
    )


def _round_trip_s(client: Minio, bucket: str) -> float:
    """Store, read, compare and delete a small blob; return the time that took."""
    name, data = f"doctor/{uuid4()}", uuid4().bytes * (TEST_BLOB_BYTES // 16)
    started = time.monotonic()
    client.put_object(bucket, name, BytesIO(data), len(data))
    try:
        response = client.get_object(bucket, name)
        read = response.read()
        response.close()
        response.release_conn()
    finally:
        client.remove_object(bucket, name)
    if read != data:
        raise ServerInspectionError(
            "corrupt", f"{len(data)} bytes were stored, {len(read)} different ones were read back"
        )
    return time.monotonic() - started


def _time(date: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(date) if date else None
    except ValueError:
        return None


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
