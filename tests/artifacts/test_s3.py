"""The real artifact store: bucket, keys, settings and unavailable servers."""

import asyncio
from io import BytesIO

import pytest
from artifacts.bucket import object_key
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError, reference
from artifacts.settings import S3Settings
from pydantic import ValidationError

from tests.artifacts.support import bare_client, noise


async def test_bucket_is_created_by_concurrent_starts(s3_settings: S3Settings):
    settings = s3_settings.model_copy(update={"s3_bucket": "created-by-many"})
    many = [Artifacts(settings) for _ in range(4)]
    await asyncio.gather(*(artifacts.start() for artifacts in many))
    ref = await many[0].put(noise(1), "text/plain")
    await many[0].wait_until_uploaded([ref])
    assert await many[3].get(ref) == noise(1)
    await asyncio.gather(*(artifacts.stop() for artifacts in many))


async def test_only_incomplete_upload_is_repeated(s3_settings: S3Settings):
    client = bare_client(s3_settings)
    data = noise(2)
    ref = reference(data, "text/plain")

    def etag() -> object:
        return client.stat_object(s3_settings.s3_bucket, object_key(ref)).etag

    async def store_by_new_process() -> None:
        artifacts = Artifacts(s3_settings)
        await artifacts.start()
        await artifacts.put(data, "text/plain")
        await artifacts.wait_until_uploaded([ref])
        assert len(await artifacts.get(ref)) == len(data)
        await artifacts.stop()

    await store_by_new_process()
    client.put_object(s3_settings.s3_bucket, object_key(ref), BytesIO(data[:10]), 10)
    incomplete = etag()
    await store_by_new_process()
    repeated = etag()
    assert repeated != incomplete
    client.put_object(s3_settings.s3_bucket, object_key(ref), BytesIO(data), len(data), content_type="set/by-hand")
    await store_by_new_process()
    assert client.stat_object(s3_settings.s3_bucket, object_key(ref)).content_type == "set/by-hand"
    client._http.clear()  # pyright: ignore[reportPrivateUsage] - MinIO's client has no public way to disconnect


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"s3_endpoint": "127.0.0.1:1"}, "refused"),
        ({"s3_secret_key": "wrong"}, "AccessDenied|SignatureDoesNotMatch"),
        ({"s3_access_key": "unknown"}, "AccessDenied|InvalidAccessKeyId"),
    ],
    ids=["endpoint", "secret", "key"],
)
async def test_unusable_server_is_reported_with_the_fix(s3_settings: S3Settings, changes: dict[str, str], reason: str):
    artifacts = Artifacts(s3_settings.model_copy(update=changes | {"s3_connect_timeout_s": 0.5}))
    with pytest.raises(ArtifactsUnavailableError, match=f"({reason}).*; check S3_ENDPOINT, S3_ACCESS_KEY"):
        await artifacts.start()
    await artifacts.stop()


def test_key_starts_with_the_first_two_digits():
    ref = reference(b"abc", "text/plain")
    assert object_key(ref) == f"sha256/ba/{ref.sha256}"


async def test_blob_survives_a_restart_of_the_store(s3_settings: S3Settings):
    artifacts = Artifacts(s3_settings)
    await artifacts.start()
    ref = await artifacts.put(noise(3), "text/plain")
    await artifacts.wait_until_uploaded([ref])
    await artifacts.stop()
    again = Artifacts(s3_settings)
    await again.start()
    assert await again.get(ref) == noise(3)
    await again.stop()


def test_endpoint_with_scheme_is_refused():
    with pytest.raises(ValidationError, match="S3_SECURE=true") as caught:
        S3Settings(s3_endpoint="https://s3.example.org", s3_access_key="a", s3_secret_key="very-secret")
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize("bucket", ["x", "With-Capitals", "under_score", "-dash"])
def test_invalid_bucket_name_is_refused(bucket: str):
    with pytest.raises(ValidationError, match="s3_bucket"):
        S3Settings(s3_endpoint="s3:9000", s3_access_key="a", s3_secret_key="b", s3_bucket=bucket)


def test_settings_come_from_environment_and_hide_the_key(monkeypatch: pytest.MonkeyPatch):
    for name, value in {
        "ENDPOINT": "s3:9000",
        "ACCESS_KEY": "a",
        "SECRET_KEY": "very-secret",
        "SECURE": "true",
    }.items():
        monkeypatch.setenv(f"S3_{name}", value)
    settings = S3Settings.model_validate({})
    assert (settings.s3_endpoint, settings.s3_bucket, settings.s3_secure) == ("s3:9000", "millwright", True)
    assert "very-secret" not in repr(settings)
