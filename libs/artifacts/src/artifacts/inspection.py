"""Inspection of an S3 server for diagnostics.

It leaves no trace: the small test blob that it stores and reads back is deleted.
"""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import Literal
from uuid import uuid4

from minio import Minio
from minio.error import InvalidResponseError, S3Error, ServerError
from urllib3 import PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError, MaxRetryError, NewConnectionError
from urllib3.exceptions import TimeoutError as SlowError

from artifacts.connections import make_pool
from artifacts.settings import S3Settings

TEST_BLOB_BYTES = 4096

FailureKind = Literal["no_answer", "refused", "unauthorized", "corrupt", "broken"]
DENIED_CODES = {
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "AuthorizationHeaderMalformed",
    "403",
}


class S3InspectionError(Exception):
    """The server could not be inspected, or did not return what was stored."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.kind: FailureKind = kind


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
    """Return the state of the server; raise `S3InspectionError` if it is unavailable or faulty."""
    try:
        async with asyncio.timeout(3 * timeout_s):
            return await asyncio.to_thread(_inspect, settings, timeout_s)
    except TimeoutError as error:
        raise S3InspectionError("no_answer", f"no answer within {3 * timeout_s:g} s") from error


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
        raise S3InspectionError(kind, f"{error.code}: {error.message}") from error
    except (InvalidResponseError, ServerError) as error:
        raise S3InspectionError("broken", str(error)) from error
    except HTTPError as error:
        cause = error.reason if isinstance(error, MaxRetryError) else error
        is_slow = isinstance(cause, SlowError) and not isinstance(cause, NewConnectionError)
        detail = f"no answer within {timeout_s:g} s" if is_slow else str(cause)
        raise S3InspectionError("no_answer" if is_slow else "refused", detail) from error
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
        raise S3InspectionError("corrupt", f"{len(data)} bytes were stored, {len(read)} different ones were read back")
    return time.monotonic() - started


def _time(date: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(date) if date else None
    except ValueError:
        return None
