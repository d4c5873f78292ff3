"""One bucket in S3, each call one try."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from io import BytesIO
from typing import TypeVar

from contracts.models.artifact import ArtifactRef
from minio import Minio
from minio.error import InvalidResponseError, MinioException, S3Error, ServerError
from urllib3 import PoolManager, Timeout
from urllib3.exceptions import HTTPError

from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings

T = TypeVar("T")

CALLS_AT_ONCE = 12


class S3OutageError(ArtifactsUnavailableError):
    """The server does not answer, or says that it cannot now: it may later."""


class Bucket:
    """Where blobs lie for good. Every call raises `ArtifactsUnavailableError` if the server cannot be used.

    The client underneath blocks, and a server may hang, so its calls have threads of their own.
    """

    def __init__(self, settings: S3Settings) -> None:
        self.location = f"bucket {settings.s3_bucket} at {settings.s3_endpoint}"
        self._name = settings.s3_bucket
        self._threads: ThreadPoolExecutor | None = None
        self._pool = PoolManager(
            num_pools=1,
            maxsize=CALLS_AT_ONCE,  # a smaller pool throws connections away
            timeout=Timeout(connect=settings.s3_timeout_s, read=settings.s3_timeout_s),
            retries=False,  # whoever calls us waits, and tells that he does
        )
        self._client = Minio(
            settings.s3_endpoint,
            access_key=settings.s3_access_key,
            secret_key=settings.s3_secret_key,
            secure=settings.s3_secure,
            region=settings.s3_region,
            http_client=self._pool,
        )

    def open(self) -> None:
        """Be ready for calls."""
        self._threads = ThreadPoolExecutor(CALLS_AT_ONCE, thread_name_prefix="s3")

    def close(self) -> None:
        """Close all connections; a call that hangs is left to its timeout."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None
        self._pool.clear()

    async def create(self) -> None:
        """Make the bucket if there is none."""
        await self._call(self._make)

    async def contains(self, ref: ArtifactRef) -> bool:
        """Tell whether all bytes of a blob are there."""
        return await self._call(lambda: self._stored_size(ref)) == ref.size_bytes

    async def put(self, ref: ArtifactRef, data: bytes) -> None:
        """Store `data` and see that it has arrived."""
        await self._call(lambda: self._put(ref, data))
        if not await self.contains(ref):
            raise S3OutageError(self.location, f"it took {object_key(ref)} and does not have it")

    async def get(self, ref: ArtifactRef) -> bytes | None:
        """Return what is stored under a blob's name, whatever it is; None if nothing is."""
        return await self._call(lambda: self._get(ref))

    async def call(self, question: Callable[[Minio, str], T]) -> T:
        """Call the client with the bucket's name."""
        return await self._call(lambda: question(self._client, self._name))

    async def _call(self, call: Callable[[], T]) -> T:
        if self._threads is None:
            raise RuntimeError("the artifacts are not open: `await artifacts.start()` comes first")
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(self._tell, call))

    def _make(self) -> None:
        if self._client.bucket_exists(self._name):
            return
        try:
            self._client.make_bucket(self._name)
        except S3Error as error:
            # Another service, started at the same moment, was faster.
            if error.code not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                raise

    def _stored_size(self, ref: ArtifactRef) -> int | None:
        try:
            return self._client.stat_object(self._name, object_key(ref)).size
        except S3Error as error:
            if error.code == "NoSuchKey":
                return None
            raise

    def _put(self, ref: ArtifactRef, data: bytes) -> None:
        self._client.put_object(
            self._name,
            object_key(ref),
            BytesIO(data),
            len(data),
            content_type=ref.media_type,
            num_parallel_uploads=1,  # uploads are parallel already, and its threads outlive an error
        )

    def _get(self, ref: ArtifactRef) -> bytes | None:
        try:
            response = self._client.get_object(self._name, object_key(ref))
        except S3Error as error:
            if error.code == "NoSuchKey":
                return None
            raise
        try:
            return response.read()
        finally:
            response.close()
            response.release_conn()

    def _tell(self, call: Callable[[], T]) -> T:
        """Call the server; raise `AwayError` or `ArtifactsUnavailableError` when it cannot be used."""
        try:
            return call()
        except (HTTPError, OSError) as error:
            raise S3OutageError(self.location, f"{type(error).__name__}: {error}") from error
        except MinioException as error:
            kind = S3OutageError if _is_unable_now(error) else ArtifactsUnavailableError
            cause = f"{error.code} ({error.message})" if isinstance(error, S3Error) else str(error)
            raise kind(self.location, cause) from error


def object_key(ref: ArtifactRef) -> str:
    """Return where a blob lies in the bucket; the first two digits spread the keys over prefixes."""
    return f"sha256/{ref.sha256[:2]}/{ref.sha256}"


def _is_unable_now(error: MinioException) -> bool:
    """Tell whether the server says, in one of three ways, that it is not able now."""
    if isinstance(error, S3Error):
        status: int = error.response.status
    elif isinstance(error, ServerError):
        status = error.status_code
    elif isinstance(error, InvalidResponseError):
        status = error._code  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - it is said nowhere else
    else:
        return False
    return is_transient(status)


def is_transient(status: int) -> bool:
    """Tell whether the status of an answer says that the same call may be taken later."""
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
