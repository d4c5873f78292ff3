"""Settings of the S3 server and the spool."""

import os
import tempfile
from pathlib import Path

from pydantic import Field, PositiveFloat, PositiveInt, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def _temporary_spool() -> Path:
    return Path(tempfile.gettempdir()) / f"millwright-spool-{os.geteuid()}"


class S3Settings(BaseSettings):
    """An S3-compatible server, the bucket for the blobs, and the spool."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    s3_endpoint: str
    """`host:port` without a scheme; `s3_secure` selects https."""
    s3_access_key: str
    s3_secret_key: str = Field(repr=False)
    s3_bucket: str = Field(default="millwright", pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    s3_region: str = "us-east-1"
    """Region of the bucket; relevant only for Amazon's servers."""
    s3_secure: bool = False
    s3_tls_ca: Path | None = None
    """The certificates of the authorities that the server's may come from; None: those of this machine."""
    s3_tls_cert: Path | None = None
    """Our own certificate, for a server that asks for one; its key is in `s3_tls_key`."""
    s3_tls_key: Path | None = None
    s3_timeout_s: PositiveFloat = 10.0
    """Time without a byte after which the server counts as unavailable; 5 MiB must also be sent within it."""
    s3_connect_timeout_s: PositiveFloat = 30.0
    """How long a start waits out an outage of the server."""
    artifacts_spool: Path = Field(default_factory=_temporary_spool)
    """Folder of blobs that wait for upload; several processes may share it. It may be deleted while no process runs,
    since no event names a blob that was not uploaded."""
    artifacts_spool_limit_bytes: PositiveInt = 4 * 1024**3
    """Storing blocks while more than this waits for upload."""

    @field_validator("s3_endpoint")
    @classmethod
    def _reject_scheme(cls, endpoint: str) -> str:
        if "/" in endpoint:
            raise ValueError("S3_ENDPOINT must be host:port; leave out the scheme and set S3_SECURE=true for https")
        return endpoint
