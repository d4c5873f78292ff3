"""What every artifact store promises: the fake and the real one pass the same tests."""

import asyncio
import random
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
from minio import Minio
from pydantic import ValidationError


class Tampering(Protocol):
    """A hand that reaches past the store."""

    def __call__(self, ref: ArtifactRef, data: bytes) -> None: ...


@dataclass(frozen=True)
class Subject:
    """A store under test, and a way to spoil it."""

    store: ArtifactStore
    spoil: Tampering


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
    client._http.clear()  # pyright: ignore[reportPrivateUsage] - MinIO's client offers no other way to hang up


def bare_client(settings: S3Settings) -> Minio:
    return Minio(
        settings.s3_endpoint, access_key=settings.s3_access_key, secret_key=settings.s3_secret_key, secure=False
    )


def void(_: object) -> None:
    return None


def noise(seed: int, size_bytes: int = 1000) -> bytes:
    return random.Random(seed).randbytes(size_bytes)


async def test_what_was_put_can_be_got(subject: Subject):
    ref = await subject.store.put(noise(1), "model/step")
    assert await subject.store.get(ref) == noise(1)


async def test_a_reference_says_what_the_bytes_are(subject: Subject):
    ref = await subject.store.put(noise(2), "video/mp4")
    assert ref == ArtifactRef(sha256=sha256(noise(2)).hexdigest(), media_type="video/mp4", size_bytes=1000)
    assert ref == reference(noise(2), "video/mp4")


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff\xfe\x00", noise(3, 6_000_000)], ids=["empty", "nul", "bytes", "6MB"]
)
async def test_any_bytes_survive(subject: Subject, data: bytes):
    ref = await subject.store.put(data, "application/octet-stream")
    assert await subject.store.get(ref) == data


async def test_the_same_bytes_may_be_put_again_by_many_at_once(subject: Subject):
    refs = await asyncio.gather(*(subject.store.put(noise(4), "image/png") for _ in range(8)))
    assert len(set(refs)) == 1
    assert await subject.store.get(refs[0]) == noise(4)


async def test_the_same_bytes_under_two_media_types_are_one_blob_with_two_names(subject: Subject):
    text = await subject.store.put(noise(5), "text/plain")
    xml = await subject.store.put(noise(5), "application/xml")
    assert (text.sha256, text.media_type, xml.media_type) == (xml.sha256, "text/plain", "application/xml")
    assert await subject.store.get(text) == await subject.store.get(xml)


async def test_what_nobody_put_is_missing_and_named(subject: Subject):
    ref = reference(noise(6), "model/step")
    with pytest.raises(ArtifactMissingError, match=ref.sha256) as caught:
        await subject.store.get(ref)
    assert caught.value.ref == ref


async def test_bytes_that_were_changed_behind_our_back_are_refused(subject: Subject):
    ref = await subject.store.put(noise(7), "model/step")
    await subject.store.wait_until_uploaded([ref])
    subject.spoil(ref, noise(8))
    with pytest.raises(ArtifactCorruptError, match=f"{ref.sha256}.*{sha256(noise(8)).hexdigest()}"):
        await subject.store.get(ref)


async def test_what_was_put_is_uploaded_and_the_same_blob_may_be_waited_for_by_many(subject: Subject):
    refs = [await subject.store.put(noise(seed), "image/png") for seed in (9, 10, 9)]
    await asyncio.gather(*(subject.store.wait_until_uploaded(refs) for _ in range(4)))
    await subject.store.wait_until_uploaded([])
    assert [await subject.store.get(ref) for ref in refs] == [noise(seed) for seed in (9, 10, 9)]


async def test_what_nobody_put_will_never_be_uploaded(subject: Subject):
    put, never = await subject.store.put(noise(11), "image/png"), reference(noise(12), "image/png")
    with pytest.raises(ArtifactMissingError, match=never.sha256):
        await subject.store.wait_until_uploaded([put, never])


async def test_a_model_travels_as_json(subject: Subject):
    box = Box(min_mm=(0, 0, 0), max_mm=(1, 2, 3))
    ref = await put_json(subject.store, box)
    assert ref.media_type == "application/json"
    assert await get_json(subject.store, ref, Box) == box


async def test_another_model_is_not_mistaken_for_it(subject: Subject):
    ref = await put_json(subject.store, reference(b"", "text/plain"))
    with pytest.raises(ValidationError, match="min_mm"):
        await get_json(subject.store, ref, Box)
