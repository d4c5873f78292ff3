"""Stores the artifacts that example values name, for tests whose roles pass them on unread."""

from io import BytesIO

from artifacts.bucket import object_key
from artifacts.settings import S3Settings
from chassis.stream.large_fields import artifacts_in

from tests.artifacts.support import bare_client
from tests.contracts import example_values as values


def store_example_artifacts(settings: S3Settings) -> None:
    """Store blobs of the right size under the keys of the example artifacts; the bucket must exist."""
    client = bare_client(settings)
    for ref in (*artifacts_in(values.ASSIGNMENT), *artifacts_in(values.ENVIRONMENT)):
        client.put_object(settings.s3_bucket, object_key(ref), BytesIO(bytes(ref.size_bytes)), ref.size_bytes)
    client._http.clear()  # pyright: ignore[reportPrivateUsage] - MinIO's client offers no other way to hang up
