"""Artifacts that the examples name, for tests in which roles pass them on and read none."""

from io import BytesIO

from artifacts.bucket import object_key
from artifacts.settings import S3Settings
from chassis.stream.large_fields import artifacts_in

from tests.artifacts.test_conformance import bare_client
from tests.contracts import example_values as values


def store_placeholders(settings: S3Settings) -> None:
    """Put something of the right size where the examples' artifacts would lie; the bucket must be there."""
    client = bare_client(settings)
    for ref in (*artifacts_in(values.ASSIGNMENT), *artifacts_in(values.ENVIRONMENT)):
        client.put_object(settings.s3_bucket, object_key(ref), BytesIO(bytes(ref.size_bytes)), ref.size_bytes)
    client._http.clear()  # pyright: ignore[reportPrivateUsage] - MinIO's client offers no other way to hang up
