"""Versioning of the bucket, on a server that supports versions and rules as MinIO does."""

from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from artifacts.bucket import S3OutageError, object_key
from artifacts.bucket_setup import RULE, enable_versioning
from artifacts.client import Artifacts
from artifacts.inspection import inspect
from artifacts.port import ArtifactCorruptError, reference
from artifacts.settings import S3Settings
from cli.administration import provision_accounts
from local_stack.servers.seaweedfs import SeaweedFs
from minio import Minio
from minio.commonconfig import ENABLED, Filter
from minio.lifecycleconfig import Expiration, LifecycleConfig, Rule

from tests.artifacts.minio_admin import ROOT, SECRET, minio_admin
from tests.artifacts.support import bare_client, noise, opened


@pytest.fixture
async def artifacts(own_settings: S3Settings) -> AsyncIterator[Artifacts]:
    """An artifact store with a new bucket."""
    async with opened(own_settings) as artifacts:
        yield artifacts


@pytest.fixture
def client(own_settings: S3Settings) -> Minio:
    return bare_client(own_settings)


def versions(client: Minio, bucket: str) -> list[tuple[str | None, bool]]:
    """Return the names of all versions, and whether each is a delete marker."""
    listed = client.list_objects(bucket, recursive=True, include_version=True)
    return [(each.object_name, each.is_delete_marker) for each in listed]


async def test_overwritten_blob_can_be_restored(artifacts: Artifacts, client: Minio, own_settings: S3Settings) -> None:
    await enable_versioning(own_settings)
    bucket = own_settings.s3_bucket
    ref = await artifacts.put(noise(1), "model/step")
    await artifacts.wait_until_uploaded([ref])
    client.put_object(bucket, object_key(ref), BytesIO(noise(2)), 1000)
    with pytest.raises(ArtifactCorruptError):
        await artifacts.get(ref)
    bad, good = client.list_objects(bucket, object_key(ref), include_version=True)
    assert (bad.is_latest, good.is_latest) == ("true", "false")
    client.remove_object(bucket, object_key(ref), version_id=bad.version_id)
    assert await artifacts.get(ref) == noise(1)


async def test_deleted_blob_can_be_stored_again(artifacts: Artifacts, client: Minio, own_settings: S3Settings) -> None:
    await enable_versioning(own_settings)
    ref = await artifacts.put(noise(3), "model/step")
    await artifacts.wait_until_uploaded([ref])
    client.remove_object(own_settings.s3_bucket, object_key(ref))
    async with opened(own_settings) as other:
        await other.put(noise(3), "model/step")
        await other.wait_until_uploaded([ref])
        assert await other.get(ref) == noise(3)
    assert client.stat_object(own_settings.s3_bucket, object_key(ref)).size == 1000


async def test_storing_a_blob_again_creates_no_version(client: Minio, own_settings: S3Settings) -> None:
    for _ in range(2):
        async with opened(own_settings) as artifacts:
            await enable_versioning(own_settings)
            ref = await artifacts.put(noise(4), "model/step")
            await artifacts.wait_until_uploaded([ref])
    assert versions(client, own_settings.s3_bucket) == [(object_key(reference(noise(4), "model/step")), False)]


async def test_inspection_leaves_only_what_the_rule_expires(
    artifacts: Artifacts, client: Minio, own_settings: S3Settings
) -> None:
    """A test blob and its delete marker: the blob expires first, and then the marker without a blob."""
    await enable_versioning(own_settings)
    assert (await inspect(own_settings, 5.0)).round_trip_s is not None
    assert sorted(is_marker for _, is_marker in versions(client, own_settings.s3_bucket)) == [False, True]
    assert list(client.list_objects(own_settings.s3_bucket, recursive=True)) == []


@pytest.mark.usefixtures("artifacts")
async def test_versioning_is_idempotent_and_keeps_other_rules(
    client: Minio, own_settings: S3Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = own_settings.s3_bucket
    theirs = Rule(ENABLED, rule_id="theirs", rule_filter=Filter(prefix="doctor/"), expiration=Expiration(days=7))
    client.set_bucket_lifecycle(bucket, LifecycleConfig([theirs]))
    await enable_versioning(own_settings)
    for change in ("set_bucket_versioning", "set_bucket_lifecycle"):
        monkeypatch.delattr(Minio, change)
    await enable_versioning(own_settings)
    lifecycle = client.get_bucket_lifecycle(bucket)
    assert lifecycle is not None
    assert lifecycle.rules == [theirs, RULE]
    assert client.get_bucket_versioning(bucket).status == ENABLED


async def test_unavailable_server_is_an_outage(own_settings: S3Settings) -> None:
    unavailable = {"s3_endpoint": "127.0.0.1:1", "s3_connect_timeout_s": 0.3}
    with pytest.raises(S3OutageError, match="check S3_ENDPOINT"):
        await enable_versioning(own_settings.model_copy(update=unavailable))


async def test_migrate_provisions_bucket_users_and_versioning_on_minio(weed: SeaweedFs) -> None:
    """The fake admin API forwards S3 requests to SeaweedFS."""
    with minio_admin(weed.endpoint) as minio:
        named = {"S3_ENDPOINT": minio.endpoint, "S3_ACCESS_KEY": ROOT, "S3_SECRET_KEY": SECRET, "S3_BUCKET": "as-minio"}
        for _ in range(2):
            bucket, users, versioning = await provision_accounts(named, {"planner": "password-of-planner"})
            assert "as-minio" in bucket
            assert "planner" in users
            assert "30 days" in versioning
    root = Minio(weed.endpoint, access_key=ROOT, secret_key=SECRET, secure=False)
    assert root.get_bucket_versioning("as-minio").status == ENABLED


async def test_migrate_leaves_versioning_of_another_server_unchanged(weed: SeaweedFs) -> None:
    named = {"S3_ENDPOINT": weed.endpoint, "S3_ACCESS_KEY": ROOT, "S3_SECRET_KEY": SECRET, "S3_BUCKET": "theirs"}
    (bucket,) = await provision_accounts(named, {"planner": "password-of-planner"}, makes_s3_users=False)
    assert "theirs" in bucket
    root = Minio(weed.endpoint, access_key=ROOT, secret_key=SECRET, secure=False)
    assert root.get_bucket_versioning("theirs").status != ENABLED
