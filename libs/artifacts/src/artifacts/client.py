"""Blobs in S3. The only code that knows MinIO's client."""

import asyncio
from io import BytesIO

from contracts.artifact import ArtifactRef
from minio import Minio
from minio.error import S3Error
from urllib3 import PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError

from artifacts.port import ArtifactMissingError, ArtifactsUnavailableError, reference, verified
from artifacts.settings import S3Settings


class Artifacts:
    """An `ArtifactStore` over one bucket.

    The client underneath blocks, so each call runs in a thread; it may be used from many tasks at once.
    """

    def __init__(self, settings: S3Settings) -> None:
        self._bucket = settings.s3_bucket
        self._endpoint = settings.s3_endpoint
        self._pool = PoolManager(
            num_pools=1,
            maxsize=32,  # as many as asyncio has threads at most; a smaller pool throws connections away
            timeout=Timeout(connect=5, read=60),
            retries=Retry(total=5, backoff_factor=0.2, status_forcelist=[500, 502, 503, 504]),
        )
        self._client = Minio(
            settings.s3_endpoint,
            access_key=settings.s3_access_key,
            secret_key=settings.s3_secret_key,
            secure=settings.s3_secure,
            region=settings.s3_region,
            http_client=self._pool,
        )

    async def start(self) -> None:
        """Make the bucket if there is none; raise `ArtifactsUnavailableError` if the server cannot be used."""
        try:
            await asyncio.to_thread(self._make_bucket)
        except (S3Error, HTTPError) as error:
            cause = f"{error.code} ({error.message})" if isinstance(error, S3Error) else str(error)
            raise ArtifactsUnavailableError(f"bucket {self._bucket} at {self._endpoint}", cause) from error

    async def stop(self) -> None:
        """Close all connections."""
        await asyncio.to_thread(self._pool.clear)

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Store `data` unless it is there already."""
        ref = reference(data, media_type)
        await asyncio.to_thread(self._put, ref, data)
        return ref

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names; raise `ArtifactMissingError` or `ArtifactCorruptError`."""
        return verified(ref, await asyncio.to_thread(self._get, ref))

    def _make_bucket(self) -> None:
        if self._client.bucket_exists(self._bucket):
            return
        try:
            self._client.make_bucket(self._bucket)
        except S3Error as error:
            # Another service, started at the same moment, was faster.
            if error.code not in {"BucketAlreadyOwnedByYou", "BucketAlreadyExists"}:
                raise

    def _put(self, ref: ArtifactRef, data: bytes) -> None:
        if self._stored_size(ref) == ref.size_bytes:
            return
        self._client.put_object(self._bucket, object_key(ref), BytesIO(data), len(data), content_type=ref.media_type)

    def _stored_size(self, ref: ArtifactRef) -> int | None:
        try:
            return self._client.stat_object(self._bucket, object_key(ref)).size
        except S3Error as error:
            if error.code == "NoSuchKey":
                return None
            raise

    def _get(self, ref: ArtifactRef) -> bytes:
        try:
            response = self._client.get_object(self._bucket, object_key(ref))
        except S3Error as error:
            if error.code == "NoSuchKey":
                raise ArtifactMissingError(ref, f"bucket {self._bucket}") from error
            raise
        try:
            return response.read()
        finally:
            response.close()
            response.release_conn()


def object_key(ref: ArtifactRef) -> str:
    """Return where a blob lies in the bucket; the first two digits spread the keys over prefixes."""
    return f"sha256/{ref.sha256[:2]}/{ref.sha256}"
