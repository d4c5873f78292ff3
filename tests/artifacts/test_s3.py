"""What only the real store has: a bucket, keys, and a server that may be away."""

import asyncio
from io import BytesIO

import pytest
from artifacts.bucket import object_key
from artifacts.client import Artifacts
from artifacts.port import ArtifactsUnavailableError, reference
from artifacts.settings import S3Settings
from pydantic import ValidationError

from tests.artifacts.test_conformance import bare_client, noise


async def test_the_bucket_is_made_once_however_many_start_at_once(s3_settings: S3Settings):
    settings = s3_settings.model_copy(update={"s3_bucket": "made-by-many"})
    many = [Artifacts(settings) for _ in range(4)]
    await asyncio.gather(*(artifacts.start() for artifacts in many))
    ref = await many[0].put(noise(1), "text/plain")
    await many[0].wait_until_uploaded([ref])
    assert await many[3].get(ref) == noise(1)
    await asyncio.gather(*(artifacts.stop() for artifacts in many))


async def test_what_is_there_is_not_sent_again_but_a_torn_upload_is_mended(s3_settings: S3Settings):
    client = bare_client(s3_settings)
    data = noise(2)
    ref = reference(data, "text/plain")

    def stored_at() -> object:
        return client.stat_object(s3_settings.s3_bucket, object_key(ref)).etag

    async def put_by_somebody_new() -> None:
        artifacts = Artifacts(s3_settings)
        await artifacts.start()
        await artifacts.put(data, "text/plain")
        await artifacts.wait_until_uploaded([ref])
        assert len(await artifacts.get(ref)) == len(data)
        await artifacts.stop()

    await put_by_somebody_new()
    client.put_object(s3_settings.s3_bucket, object_key(ref), BytesIO(data[:10]), 10)
    torn = stored_at()
    await put_by_somebody_new()
    mended = stored_at()
    assert mended != torn
    client.put_object(s3_settings.s3_bucket, object_key(ref), BytesIO(data), len(data), content_type="set/by-hand")
    await put_by_somebody_new()
    assert client.stat_object(s3_settings.s3_bucket, object_key(ref)).content_type == "set/by-hand"
    client._http.clear()  # pyright: ignore[reportPrivateUsage] - MinIO's client offers no other way to hang up


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"s3_endpoint": "127.0.0.1:1"}, "refused"),
        ({"s3_secret_key": "wrong"}, "AccessDenied|SignatureDoesNotMatch"),
        ({"s3_access_key": "nobody"}, "AccessDenied|InvalidAccessKeyId"),
    ],
    ids=["endpoint", "secret", "key"],
)
async def test_a_server_that_cannot_be_used_is_told_with_the_mend(
    s3_settings: S3Settings, wrong: dict[str, str], says: str
):
    artifacts = Artifacts(s3_settings.model_copy(update=wrong | {"s3_connect_timeout_s": 0.5}))
    with pytest.raises(ArtifactsUnavailableError, match=f"({says}).*; check S3_ENDPOINT, S3_ACCESS_KEY"):
        await artifacts.start()
    await artifacts.stop()


def test_keys_are_spread_by_the_first_two_digits():
    ref = reference(b"abc", "text/plain")
    assert object_key(ref) == f"sha256/ba/{ref.sha256}"


async def test_after_a_restart_everything_is_still_there(s3_settings: S3Settings):
    artifacts = Artifacts(s3_settings)
    await artifacts.start()
    ref = await artifacts.put(noise(3), "text/plain")
    await artifacts.wait_until_uploaded([ref])
    await artifacts.stop()
    again = Artifacts(s3_settings)
    await again.start()
    assert await again.get(ref) == noise(3)
    await again.stop()


def test_an_endpoint_with_a_scheme_is_refused_with_the_mend():
    with pytest.raises(ValidationError, match="leave out the scheme and set S3_SECURE=true") as caught:
        S3Settings(s3_endpoint="https://s3.example.org", s3_access_key="a", s3_secret_key="very-secret")
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize("bucket", ["x", "With-Capitals", "under_score", "-dash"])
def test_a_bucket_that_no_server_would_make_is_refused(bucket: str):
    with pytest.raises(ValidationError, match="s3_bucket"):
        S3Settings(s3_endpoint="s3:9000", s3_access_key="a", s3_secret_key="b", s3_bucket=bucket)


def test_settings_come_from_the_environment_and_keep_the_key_to_themselves(monkeypatch: pytest.MonkeyPatch):
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
