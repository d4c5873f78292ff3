"""Unreferenced artifacts: blobs that no recorded text names, such as those of a worker that died before its event."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.models.artifact import ArtifactRef, Sha256
from minio import Minio

from artifacts.bucket import Bucket, object_key

PREFIX = "sha256/"
JSON = "application/json"
"""Artifacts of this type may name other artifacts."""
_REFERENCE = re.compile(rb"sha256\W{1,12}([0-9a-f]{64})(?:\W{1,12}media_type\W{1,12}([\w/+.-]*))?")
"""A reference in JSON, also in JSON that is a text within JSON."""


@dataclass(frozen=True)
class StoredBlob:
    """A blob in the bucket."""

    sha256: str
    size_bytes: int


async def find_unreferenced(bucket: Bucket, texts: AsyncIterator[bytes], before: datetime) -> list[StoredBlob]:
    """Return the blobs stored before an instant that neither a text nor an artifact it names refers to.

    The bucket is listed first, so that a reference that is recorded meanwhile is seen. Raises
    `ArtifactsUnavailableError`.
    """
    old = await bucket.call(lambda client, name: list(_stored_before(client, name, before)))

    async def read(digest: str) -> bytes:
        return await bucket.get(ArtifactRef(sha256=digest, media_type=JSON, size_bytes=0)) or b""

    referenced = await find_referenced(texts, read)
    return [blob for blob in old if blob.sha256 not in referenced]


async def find_referenced(texts: AsyncIterator[bytes], read: Callable[[str], Awaitable[bytes]]) -> dict[Sha256, str]:
    """Return the media types, by digest, of the blobs that a text, or an artifact it names, refers to.

    `read` returns an artifact by its digest, and nothing for one that does not exist.

    A digest without a media type may be that of something else, such as a file in a workspace; its type is empty.
    """
    referenced: dict[str, str] = {}
    unread: list[str] = []
    async for text in texts:
        _note_references(text, referenced, unread)
    while unread:
        _note_references(await read(unread.pop()), referenced, unread)
    return referenced


async def delete_blobs(bucket: Bucket, blobs: Sequence[StoredBlob]) -> None:
    """Delete blobs; those that are gone already count as deleted. Raises `ArtifactsUnavailableError`."""

    def delete(client: Minio, name: str) -> None:
        for blob in blobs:
            client.remove_object(name, object_key(ArtifactRef(sha256=blob.sha256, media_type="", size_bytes=0)))

    await bucket.call(delete)


def _stored_before(client: Minio, bucket: str, instant: datetime) -> Iterator[StoredBlob]:
    for each in client.list_objects(bucket, prefix=PREFIX, recursive=True):
        if each.object_name and each.last_modified is not None and each.last_modified < instant:
            yield StoredBlob(each.object_name.rpartition("/")[2], each.size or 0)


def _note_references(text: bytes, referenced: dict[str, str], unread: list[str]) -> None:
    """Add what a text refers to, and what of it has to be read, because it may refer to more."""
    for digest, named_type in _REFERENCE.findall(text):
        sha256, media_type = digest.decode(), named_type.decode()
        if sha256 not in referenced and media_type == JSON:
            unread.append(sha256)
        referenced[sha256] = referenced.get(sha256) or media_type
