"""Versioning of the bucket in MinIO: overwritten and deleted blobs can be restored for a month.

No service may delete a blob, but each can overwrite one, since S3 permissions do not distinguish that from adding one.
The digest reveals it, and the older version still exists. In normal use no blob is stored twice, so versions cost
nothing.
"""

from minio import Minio
from minio.commonconfig import ENABLED, Filter
from minio.lifecycleconfig import Expiration, LifecycleConfig, NoncurrentVersionExpiration, Rule
from minio.versioningconfig import VersioningConfig

from artifacts.bucket import Bucket
from artifacts.retry import retry_within
from artifacts.settings import S3Settings

KEPT_DAYS = 30
RULE = Rule(
    ENABLED,
    rule_id="millwright-versions",
    rule_filter=Filter(prefix=""),
    noncurrent_version_expiration=NoncurrentVersionExpiration(noncurrent_days=KEPT_DAYS),
    expiration=Expiration(expired_object_delete_marker=True),
)
"""The expiration rule. Unfinished multipart uploads need none: MinIO accepts no rule for them and deletes them after a
day."""


async def enable_versioning(settings: S3Settings) -> None:
    """Enable versioning of an existing bucket, with older versions kept for `KEPT_DAYS`; keep its other rules.

    Raises `ArtifactsUnavailableError`, or `S3OutageError` if an outage lasts longer than `s3_connect_timeout_s`.
    """
    bucket = Bucket(settings)
    bucket.open()
    try:
        await retry_within(settings.s3_connect_timeout_s, lambda: bucket.call(_enable_versioning))
    finally:
        bucket.close()


def _enable_versioning(client: Minio, bucket: str) -> None:
    if client.get_bucket_versioning(bucket).status != ENABLED:
        client.set_bucket_versioning(bucket, VersioningConfig(ENABLED))
    lifecycle = client.get_bucket_lifecycle(bucket)
    rules = [] if lifecycle is None else lifecycle.rules
    if RULE not in rules:
        others = [rule for rule in rules if rule.rule_id != RULE.rule_id]
        client.set_bucket_lifecycle(bucket, LifecycleConfig([*others, RULE]))
