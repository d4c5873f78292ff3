"""A look at an S3 server from outside, for whoever wants to tell what is wrong with it.

Leaves nothing behind: the one small blob that is stored and read back is removed again.
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

from artifacts.settings import S3Settings

TRIAL_BYTES = 4096

Trouble = Literal["silent", "refused", "not_let_in", "corrupt", "broken"]
NOT_LET_IN = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed", "403"}


class S3InspectionError(Exception):
    """The server cannot be looked at, or does not keep what it is given."""

    def __init__(self, kind: Trouble, detail: str) -> None:
        super().__init__(detail)
        self.kind: Trouble = kind


@dataclass(frozen=True)
class S3State:
    """What was seen."""

    server: str
    """How it calls itself."""
    time: datetime | None
    """The server's clock, to the second."""
    has_bucket: bool
    round_trip_s: float | None
    """How long storing, reading and removing a small blob took; None without a bucket."""


async def inspect(settings: S3Settings, timeout_s: float) -> S3State:
    """Look; raise `S3TroubleError` when that cannot be done."""
    try:
        async with asyncio.timeout(3 * timeout_s):
            return await asyncio.to_thread(_inspect, settings, timeout_s)
    except TimeoutError as error:
        raise S3InspectionError("silent", f"no answer within {3 * timeout_s:g} s") from error


def _inspect(settings: S3Settings, timeout_s: float) -> S3State:
    pool = PoolManager(timeout=Timeout(connect=timeout_s, read=timeout_s), retries=Retry(total=0))
    client = Minio(
        settings.s3_endpoint,
        access_key=settings.s3_access_key,
        secret_key=settings.s3_secret_key,
        secure=settings.s3_secure,
        region=settings.s3_region,
        http_client=pool,
    )
    try:
        return _look(client, pool, settings)
    except S3Error as error:
        kind: Trouble = "not_let_in" if error.code in NOT_LET_IN else "broken"
        raise S3InspectionError(kind, f"{error.code}: {error.message}") from error
    except (InvalidResponseError, ServerError) as error:
        raise S3InspectionError("broken", str(error)) from error
    except HTTPError as error:
        cause = error.reason if isinstance(error, MaxRetryError) else error
        is_slow = isinstance(cause, SlowError) and not isinstance(cause, NewConnectionError)
        detail = f"no answer within {timeout_s:g} s" if is_slow else str(cause)
        raise S3InspectionError("silent" if is_slow else "refused", detail) from error
    finally:
        pool.clear()


def _look(client: Minio, pool: PoolManager, settings: S3Settings) -> S3State:
    scheme = "https" if settings.s3_secure else "http"
    greeting = pool.request("GET", f"{scheme}://{settings.s3_endpoint}/")
    has_bucket = client.bucket_exists(settings.s3_bucket)
    return S3State(
        server=greeting.headers.get("Server", "S3"),
        time=_time(greeting.headers.get("Date")),
        has_bucket=has_bucket,
        round_trip_s=_try_out(client, settings.s3_bucket) if has_bucket else None,
    )


def _try_out(client: Minio, bucket: str) -> float:
    """Store, read, compare and remove a small blob; return how long that took."""
    name, data = f"doctor/{uuid4()}", uuid4().bytes * (TRIAL_BYTES // 16)
    begun = time.monotonic()
    client.put_object(bucket, name, BytesIO(data), len(data))
    try:
        answer = client.get_object(bucket, name)
        read = answer.read()
        answer.close()
        answer.release_conn()
    finally:
        client.remove_object(bucket, name)
    if read != data:
        raise S3InspectionError("corrupt", f"{len(data)} bytes were stored and {len(read)} others came back")
    return time.monotonic() - begun


def _time(date: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(date) if date else None
    except ValueError:
        return None
