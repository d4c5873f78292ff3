"""One bucket in S3. Calls are not retried."""

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
from urllib3 import Timeout
from urllib3.exceptions import HTTPError, SSLError

from artifacts.connections import CertificateRefusedError, EncryptionRequiredError, make_pool
from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings

T = TypeVar("T")

MAX_CONCURRENT_CALLS = 12
HTTP_TO_HTTPS = "HTTP request to an HTTPS server"
"""What servers written in Go, such as MinIO, answer without encryption."""


class S3OutageError(ArtifactsUnavailableError):
    """The server does not answer or reports a transient error: a retry may succeed."""


class Bucket:
    """Permanent storage of blobs. Calls raise `ArtifactsUnavailableError` if the server cannot be used.

    The underlying client blocks and a server may hang, so calls run in a thread pool.
    """

    def __init__(self, settings: S3Settings) -> None:
        self.location = f"bucket {settings.s3_bucket} at {settings.s3_endpoint}"
        self._name = settings.s3_bucket
        self._secure = settings.s3_secure
        self._threads: ThreadPoolExecutor | None = None
        self._pool = make_pool(
            settings,
            num_pools=1,
            maxsize=MAX_CONCURRENT_CALLS,  # a smaller pool would discard connections
            timeout=Timeout(connect=settings.s3_timeout_s, read=settings.s3_timeout_s),
            retries=False,  # callers retry, and log outages
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
        """Start the thread pool."""
        self._threads = ThreadPoolExecutor(MAX_CONCURRENT_CALLS, thread_name_prefix="s3")

    def close(self) -> None:
        """Close all connections; a hanging call ends by its timeout."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None
        self._pool.clear()

    async def create(self) -> None:
        """Create the bucket if it does not exist."""
        await self._run(self._create)

    async def contains(self, ref: ArtifactRef) -> bool:
        """Return whether the bucket has a blob with the right size."""
        return await self._run(lambda: self._stored_size(ref)) == ref.size_bytes

    async def put(self, ref: ArtifactRef, data: bytes) -> None:
        """Store `data` and verify that the bucket has it."""
        await self._run(lambda: self._put(ref, data))
        if not await self.contains(ref):
            raise S3OutageError(self.location, f"it accepted {object_key(ref)} but does not have it")

    async def stored_size(self, ref: ArtifactRef) -> int | None:
        """Return the size in bytes of what is stored under a blob's name; None if there is nothing."""
        return await self._run(lambda: self._stored_size(ref))

    async def get_part(self, ref: ArtifactRef, offset: int, length: int) -> bytes | None:
        """Return `length` (at least 1) bytes from `offset` on, without verification; None if there is no such blob."""
        return await self._run(lambda: self._get(ref, offset, length))

    async def get(self, ref: ArtifactRef) -> bytes | None:
        """Return the bytes stored under a blob's name, without verification; None if there are none."""
        return await self._run(lambda: self._get(ref))

    async def call(self, function: Callable[[Minio, str], T]) -> T:
        """Call a function with the client and the name of the bucket."""
        return await self._run(lambda: function(self._client, self._name))

    async def _run(self, function: Callable[[], T]) -> T:
        if self._threads is None:
            raise RuntimeError("the artifacts are not open: call `await artifacts.start()` first")
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(self._raising_outages, function))

    def _create(self) -> None:
        if self._client.bucket_exists(self._name):
            return
        try:
            self._client.make_bucket(self._name)
        except S3Error as error:
            # Another service created it meanwhile.
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
            num_parallel_uploads=1,  # uploads are parallel already, and its threads would outlive an error
        )

    def _get(self, ref: ArtifactRef, offset: int = 0, length: int = 0) -> bytes | None:
        """`length` 0: all from `offset` on."""
        try:
            response = self._client.get_object(self._name, object_key(ref), offset=offset, length=length)
        except S3Error as error:
            if error.code == "NoSuchKey":
                return None
            raise
        try:
            return response.read()
        finally:
            response.close()
            response.release_conn()

    def _raising_outages(self, function: Callable[[], T]) -> T:
        """Call a function; raise `S3OutageError` or `ArtifactsUnavailableError` for the client's errors."""
        try:
            return function()
        except SSLError as error:
            raise CertificateRefusedError(self.location, str(error)) from error
        except (HTTPError, OSError) as error:
            raise S3OutageError(self.location, f"{type(error).__name__}: {error}") from error
        except MinioException as error:
            if not self._secure and _asks_for_encryption(error):
                raise EncryptionRequiredError(self.location, str(error)) from error
            kind = S3OutageError if _is_outage(error) else ArtifactsUnavailableError
            cause = f"{error.code} ({error.message})" if isinstance(error, S3Error) else str(error)
            raise kind(self.location, cause) from error


def object_key(ref: ArtifactRef) -> str:
    """Return the key of a blob; its first two digits distribute the keys over prefixes."""
    return f"sha256/{ref.sha256[:2]}/{ref.sha256}"


def _asks_for_encryption(error: MinioException) -> bool:
    """Return whether an answer without encryption is that of an https server; to HEAD it has no body."""
    return HTTP_TO_HTTPS in str(error) or (isinstance(error, S3Error) and error.code == "BadRequest")


def _is_outage(error: MinioException) -> bool:
    """Return whether the status in one of three kinds of errors is transient."""
    if isinstance(error, S3Error):
        status: int = error.response.status
    elif isinstance(error, ServerError):
        status = error.status_code
    elif isinstance(error, InvalidResponseError):
        status = error._code  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - not public
    else:
        return False
    return is_transient(status)


def is_transient(status: int) -> bool:
    """Return whether a call that failed with this HTTP status may succeed later."""
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
