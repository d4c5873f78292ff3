"""Helpers for tests with an S3 server."""

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from minio import Minio


def noise(seed: int, size_bytes: int = 1000) -> bytes:
    """Return random bytes, the same for the same seed."""
    return random.Random(seed).randbytes(size_bytes)


def bare_client(settings: S3Settings) -> Minio:
    """Return a client that bypasses the artifact store."""
    return Minio(
        settings.s3_endpoint,
        access_key=settings.s3_access_key,
        secret_key=settings.s3_secret_key,
        secure=False,
        region=settings.s3_region,
    )


@asynccontextmanager
async def opened(settings: S3Settings) -> AsyncGenerator[Artifacts]:
    """Start an artifact store, and stop it at the end."""
    artifacts = Artifacts(settings)
    try:
        await artifacts.start()
        yield artifacts
    finally:
        await artifacts.stop()


def spooled(settings: S3Settings) -> list[Path]:
    """Return the files in the spool."""
    return [path for path in settings.artifacts_spool.rglob("*") if path.is_file()]
