"""Conformance tests of artifact stores: the fake and the real one pass the same tests."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Protocol

import pytest
from artifacts.bucket import object_key
from artifacts.bucket_setup import enable_versioning
from artifacts.client import Artifacts
from artifacts.port import ArtifactCorruptError, ArtifactMissingError, ArtifactStore, get_json, put_json, reference
from artifacts.settings import S3Settings
from artifacts.testing import FakeArtifacts
from contracts.models.artifact import ArtifactRef
from contracts.models.geometry import Box
from pydantic import ValidationError

from tests.artifacts.support import bare_client, noise


class Overwrite(Protocol):
    """Replaces the bytes of a blob behind the store."""

    def __call__(self, ref: ArtifactRef, data: bytes) -> None: ...


@dataclass(frozen=True)
class Subject:
    """A store under test, and a way to corrupt it."""

    store: ArtifactStore
    overwrite: Overwrite


@pytest.fixture(params=["fake", "real", "versioned"])
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    if request.param == "fake":
        fake = FakeArtifacts()
        yield Subject(fake, lambda ref, data: fake.blobs.update({ref.sha256: data}))
        return
    settings: S3Settings = request.getfixturevalue("s3_settings")
    if request.param == "versioned":
        settings = settings.model_copy(update={"s3_bucket": "with-versions"})
    artifacts = Artifacts(settings)
    await artifacts.start()
    if request.param == "versioned":
        await enable_versioning(settings)
    client = bare_client(settings)
    yield Subject(
        artifacts,
        lambda ref, data: void(client.put_object(settings.s3_bucket, object_key(ref), BytesIO(data), len(data))),
    )
    await artifacts.stop()
    client._http.clear()  # pyright: ignore[reportPrivateUsage] - MinIO's client has no public way to disconnect


def void(_: object) -> None:
    return None


async def test_stored_bytes_can_be_read(subject: Subject):
    ref = await subject.store.put(noise(1), "model/step")
    assert await subject.store.get(ref) == noise(1)


async def test_reference_has_digest_type_and_size(subject: Subject):
    ref = await subject.store.put(noise(2), "video/mp4")
    assert ref == ArtifactRef(sha256=sha256(noise(2)).hexdigest(), media_type="video/mp4", size_bytes=1000)
    assert ref == reference(noise(2), "video/mp4")


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff\xfe\x00", noise(3, 6_000_000)], ids=["empty", "nul", "bytes", "6MB"]
)
async def test_any_bytes_can_be_stored(subject: Subject, data: bytes):
    ref = await subject.store.put(data, "application/octet-stream")
    assert await subject.store.get(ref) == data


async def test_same_bytes_can_be_stored_concurrently(subject: Subject):
    refs = await asyncio.gather(*(subject.store.put(noise(4), "image/png") for _ in range(8)))
    assert len(set(refs)) == 1
    assert await subject.store.get(refs[0]) == noise(4)


async def test_media_type_does_not_change_the_blob(subject: Subject):
    text = await subject.store.put(noise(5), "text/plain")
    xml = await subject.store.put(noise(5), "application/xml")
    assert (text.sha256, text.media_type, xml.media_type) == (xml.sha256, "text/plain", "application/xml")
    assert await subject.store.get(text) == await subject.store.get(xml)


async def test_unknown_blob_is_missing(subject: Subject):
    ref = reference(noise(6), "model/step")
    with pytest.raises(ArtifactMissingError, match=ref.sha256) as caught:
        await subject.store.get(ref)
    assert caught.value.ref == ref


async def test_corrupt_blob_is_refused(subject: Subject):
    ref = await subject.store.put(noise(7), "model/step")
    await subject.store.wait_until_uploaded([ref])
    subject.overwrite(ref, noise(8))
    with pytest.raises(ArtifactCorruptError, match=f"{ref.sha256}.*{sha256(noise(8)).hexdigest()}"):
        await subject.store.get(ref)


async def test_upload_can_be_awaited_concurrently(subject: Subject):
    refs = [await subject.store.put(noise(seed), "image/png") for seed in (9, 10, 9)]
    await asyncio.gather(*(subject.store.wait_until_uploaded(refs) for _ in range(4)))
    await subject.store.wait_until_uploaded([])
    assert [await subject.store.get(ref) for ref in refs] == [noise(seed) for seed in (9, 10, 9)]


async def test_waiting_for_unknown_blob_fails(subject: Subject):
    stored, unknown = await subject.store.put(noise(11), "image/png"), reference(noise(12), "image/png")
    with pytest.raises(ArtifactMissingError, match=unknown.sha256):
        await subject.store.wait_until_uploaded([stored, unknown])


async def test_model_can_be_stored_as_json(subject: Subject):
    box = Box(min_mm=(0, 0, 0), max_mm=(1, 2, 3))
    ref = await put_json(subject.store, box)
    assert ref.media_type == "application/json"
    assert await get_json(subject.store, ref, Box) == box


async def test_reading_json_as_another_model_fails(subject: Subject):
    ref = await put_json(subject.store, reference(b"", "text/plain"))
    with pytest.raises(ValidationError, match="min_mm"):
        await get_json(subject.store, ref, Box)
