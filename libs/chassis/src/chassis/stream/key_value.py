"""Key-value buckets of JetStream."""

from nats.js.api import DiscardPolicy, StorageType, StreamConfig


def bucket_stream(bucket: str, description: str, max_age_s: float) -> StreamConfig:
    """Return the stream behind a bucket: one value per key, read from the leader alone, dropped after `max_age_s`."""
    return StreamConfig(
        name=f"KV_{bucket}",
        description=description,
        subjects=[f"$KV.{bucket}.>"],
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_msgs_per_subject=1,
        max_age=max_age_s,
        allow_rollup_hdrs=True,
        allow_direct=False,
        deny_delete=True,
    )
