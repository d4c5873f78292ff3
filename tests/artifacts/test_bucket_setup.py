"""A bucket that keeps what is overwritten, on a server that keeps versions and rules as MinIO does."""

from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from artifacts.bucket import AwayError, object_key
from artifacts.bucket_setup import RULE, keep_versions
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
from tests.artifacts.test_conformance import bare_client, noise
from tests.artifacts.test_outages import opened


@pytest.fixture
async def artifacts(mortal_settings: S3Settings) -> AsyncIterator[Artifacts]:
    """Blobs in a new bucket."""
    artifacts = Artifacts(mortal_settings)
    await artifacts.start()
    yield artifacts
    await artifacts.stop()


@pytest.fixture
def client(mortal_settings: S3Settings) -> Minio:
    return bare_client(mortal_settings)


def versions(client: Minio, bucket: str) -> list[tuple[str | None, bool]]:
    """Return the names of all versions, and whether each is a deletion's mark."""
    listed = client.list_objects(bucket, recursive=True, include_version=True)
    return [(each.object_name, each.is_delete_marker) for each in listed]


async def test_what_a_service_overwrote_can_be_had_back(
    artifacts: Artifacts, client: Minio, mortal_settings: S3Settings
) -> None:
    await keep_versions(mortal_settings)
    bucket = mortal_settings.s3_bucket
    ref = await artifacts.put(noise(1), "model/step")
    await artifacts.uploaded([ref])
    client.put_object(bucket, object_key(ref), BytesIO(noise(2)), 1000)
    with pytest.raises(ArtifactCorruptError):
        await artifacts.get(ref)
    bad, good = client.list_objects(bucket, object_key(ref), include_version=True)
    assert (bad.is_latest, good.is_latest) == ("true", "false")
    client.remove_object(bucket, object_key(ref), version_id=bad.version_id)
    assert await artifacts.get(ref) == noise(1)


async def test_a_blob_that_was_deleted_can_be_stored_anew(
    artifacts: Artifacts, client: Minio, mortal_settings: S3Settings
) -> None:
    await keep_versions(mortal_settings)
    ref = await artifacts.put(noise(3), "model/step")
    await artifacts.uploaded([ref])
    client.remove_object(mortal_settings.s3_bucket, object_key(ref))
    async with opened(mortal_settings) as somebody_new:
        await somebody_new.put(noise(3), "model/step")
        await somebody_new.uploaded([ref])
        assert await somebody_new.get(ref) == noise(3)
    assert client.stat_object(mortal_settings.s3_bucket, object_key(ref)).size == 1000


async def test_storing_a_blob_again_makes_no_version(client: Minio, mortal_settings: S3Settings) -> None:
    for _ in range(2):
        async with opened(mortal_settings) as artifacts:
            await keep_versions(mortal_settings)
            ref = await artifacts.put(noise(4), "model/step")
            await artifacts.uploaded([ref])
    assert versions(client, mortal_settings.s3_bucket) == [(object_key(reference(noise(4), "model/step")), False)]


async def test_a_look_at_the_server_leaves_what_the_rule_clears_away(
    artifacts: Artifacts, client: Minio, mortal_settings: S3Settings
) -> None:
    """A trial blob and the mark of its deletion: the first expires, and then a mark without a blob does."""
    await keep_versions(mortal_settings)
    assert (await inspect(mortal_settings, 5.0)).round_trip_s is not None
    assert sorted(mark for _, mark in versions(client, mortal_settings.s3_bucket)) == [False, True]
    assert list(client.list_objects(mortal_settings.s3_bucket, recursive=True)) == []


@pytest.mark.usefixtures("artifacts")
async def test_doing_so_again_changes_nothing_and_others_rules_stay(
    client: Minio, mortal_settings: S3Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = mortal_settings.s3_bucket
    theirs = Rule(ENABLED, rule_id="theirs", rule_filter=Filter(prefix="doctor/"), expiration=Expiration(days=7))
    client.set_bucket_lifecycle(bucket, LifecycleConfig([theirs]))
    await keep_versions(mortal_settings)
    for change in ("set_bucket_versioning", "set_bucket_lifecycle"):
        monkeypatch.delattr(Minio, change)
    await keep_versions(mortal_settings)
    lifecycle = client.get_bucket_lifecycle(bucket)
    assert lifecycle is not None
    assert lifecycle.rules == [theirs, RULE]
    assert client.get_bucket_versioning(bucket).status == ENABLED


async def test_a_server_that_is_away_is_told_as_such(mortal_settings: S3Settings) -> None:
    nobody = {"s3_endpoint": "127.0.0.1:1", "s3_connect_timeout_s": 0.3}
    with pytest.raises(AwayError, match="check S3_ENDPOINT"):
        await keep_versions(mortal_settings.model_copy(update=nobody))


async def test_migrate_makes_bucket_users_and_versions_where_the_server_is_minio(weed: SeaweedFs) -> None:
    """Here one that speaks MinIO's admin API, before one that keeps buckets."""
    with minio_admin(weed.endpoint) as minio:
        named = {"S3_ENDPOINT": minio.endpoint, "S3_ACCESS_KEY": ROOT, "S3_SECRET_KEY": SECRET, "S3_BUCKET": "as-minio"}
        for _ in range(2):
            said = await provision_accounts(named, {"planner": "password-of-planner"})
            assert said[0] == "bucket: as-minio"
            assert said[1:] == ["bucket users: planner", "overwritten and deleted artifacts are kept for 30 days"]
    root = Minio(weed.endpoint, access_key=ROOT, secret_key=SECRET, secure=False)
    assert root.get_bucket_versioning("as-minio").status == ENABLED


async def test_migrate_leaves_versions_to_whoever_owns_another_server(weed: SeaweedFs) -> None:
    named = {"S3_ENDPOINT": weed.endpoint, "S3_ACCESS_KEY": ROOT, "S3_SECRET_KEY": SECRET, "S3_BUCKET": "theirs"}
    said = await provision_accounts(named, {"planner": "password-of-planner"}, makes_s3_users=False)
    assert said == ["bucket: theirs"]
    root = Minio(weed.endpoint, access_key=ROOT, secret_key=SECRET, secure=False)
    assert root.get_bucket_versioning("theirs").status != ENABLED
