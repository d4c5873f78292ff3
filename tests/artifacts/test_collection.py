"""Blobs that nothing names are found and deleted; all others stay."""

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from artifacts.bucket import Bucket
from artifacts.collection import delete_blobs, find_unreferenced
from artifacts.settings import S3Settings
from contracts.models.artifact import ArtifactRef

from tests.artifacts.support import noise, opened

LATER = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def bucket(own_settings: S3Settings) -> Iterator[Bucket]:
    bucket = Bucket(own_settings)
    bucket.open()
    yield bucket
    bucket.close()


async def texts(*refs: ArtifactRef) -> AsyncIterator[bytes]:
    for ref in refs:
        yield b'{"type":"Example","field":' + ref.model_dump_json().encode() + b"}"


async def stored(settings: S3Settings, *blobs: tuple[bytes, str]) -> Sequence[ArtifactRef]:
    async with opened(settings) as artifacts:
        refs = [await artifacts.put(data, media_type) for data, media_type in blobs]
        await artifacts.wait_until_uploaded(refs)
    return refs


async def test_blob_that_no_text_names_is_unreferenced(own_settings: S3Settings, bucket: Bucket) -> None:
    named, forgotten = await stored(own_settings, (noise(1), "image/png"), (noise(2, 3000), "image/png"))
    (found,) = await find_unreferenced(bucket, texts(named), LATER)
    assert (found.sha256, found.size_bytes) == (forgotten.sha256, 3000)
    await delete_blobs(bucket, [found, found])
    assert await bucket.contains(named)
    assert not await bucket.contains(forgotten)


async def test_blob_that_a_named_document_names_is_referenced(own_settings: S3Settings, bucket: Bucket) -> None:
    (inner,) = await stored(own_settings, (noise(3), "application/x-npz"))
    (middle,) = await stored(own_settings, (inner.model_dump_json(indent=1).encode(), "application/json"))
    (outer,) = await stored(own_settings, (middle.model_dump_json().encode(), "application/json"))
    assert await find_unreferenced(bucket, texts(outer), LATER) == []
    assert {each.sha256 for each in await find_unreferenced(bucket, texts(middle), LATER)} == {outer.sha256}


async def test_young_blob_is_kept_although_nothing_names_it_yet(own_settings: S3Settings, bucket: Bucket) -> None:
    await stored(own_settings, (noise(4), "image/png"))
    assert await find_unreferenced(bucket, texts(), datetime.now(UTC) - timedelta(hours=1)) == []


async def test_document_that_is_gone_does_not_end_the_search(own_settings: S3Settings, bucket: Bucket) -> None:
    (kept,) = await stored(own_settings, (noise(5), "image/png"))
    gone = ArtifactRef(sha256="0" * 64, media_type="application/json", size_bytes=2)
    assert await find_unreferenced(bucket, texts(gone, kept), LATER) == []
