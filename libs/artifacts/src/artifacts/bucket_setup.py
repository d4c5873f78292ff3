"""How MinIO keeps the bucket: what is overwritten or deleted can be had back for a month.

No service can delete a blob, but each can put another one in its place: S3 cannot tell the two apart. The bytes' digest
gives that away, and the older version is still there. We ourselves put no blob twice, so that versions cost nothing.
"""

from minio import Minio
from minio.commonconfig import ENABLED, Filter
from minio.lifecycleconfig import Expiration, LifecycleConfig, NoncurrentVersionExpiration, Rule
from minio.versioningconfig import VersioningConfig

from artifacts.bucket import Bucket
from artifacts.retry import wait_within
from artifacts.settings import S3Settings

KEPT_DAYS = 30
RULE = Rule(
    ENABLED,
    rule_id="millwright-versions",
    rule_filter=Filter(prefix=""),
    noncurrent_version_expiration=NoncurrentVersionExpiration(noncurrent_days=KEPT_DAYS),
    expiration=Expiration(expired_object_delete_marker=True),
)
"""What expires. Uploads in parts that nobody finished need no rule: MinIO takes none, and forgets them after a day."""


async def enable_versioning(settings: S3Settings) -> None:
    """Have a bucket that exists keep older versions, `KEPT_DAYS` long; other rules that it has are left alone.

    Raises `ArtifactsUnavailableError`, or `AwayError` when nobody answers for `s3_connect_timeout_s`.
    """
    bucket = Bucket(settings)
    bucket.open()
    try:
        await wait_within(settings.s3_connect_timeout_s, lambda: bucket.call(_keep_versions))
    finally:
        bucket.close()


def _keep_versions(client: Minio, bucket: str) -> None:
    if client.get_bucket_versioning(bucket).status != ENABLED:
        client.set_bucket_versioning(bucket, VersioningConfig(ENABLED))
    lifecycle = client.get_bucket_lifecycle(bucket)
    rules = [] if lifecycle is None else lifecycle.rules
    if RULE not in rules:
        others = [rule for rule in rules if rule.rule_id != RULE.rule_id]
        client.set_bucket_lifecycle(bucket, LifecycleConfig([*others, RULE]))
