"""Where blobs live, and where they wait."""

import os
import tempfile
from pathlib import Path

from pydantic import Field, PositiveFloat, PositiveInt, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def _temporary_spool() -> Path:
    return Path(tempfile.gettempdir()) / f"millwright-spool-{os.geteuid()}"


class S3Settings(BaseSettings):
    """An S3-compatible server, the one bucket we keep there, and the folder where blobs wait for it."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    s3_endpoint: str
    """`host:port`, without a scheme: `s3_secure` decides between http and https."""
    s3_access_key: str
    s3_secret_key: str = Field(repr=False)
    s3_bucket: str = Field(default="millwright", pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    s3_region: str = "us-east-1"
    """Of the bucket; only Amazon's own servers mind."""
    s3_secure: bool = False
    s3_timeout_s: PositiveFloat = 10.0
    """After so long without a byte a server counts as away; 5 MiB must be sent within it, too."""
    s3_connect_timeout_s: PositiveFloat = 30.0
    """How long a start waits for a server that does not answer."""
    artifacts_spool: Path = Field(default_factory=_temporary_spool)
    """Folder of blobs on their way to S3; several processes may share it. It may be lost when nobody runs: no event
    names what was not uploaded."""
    artifacts_spool_limit_bytes: PositiveInt = 4 * 1024**3
    """When so much waits, storing waits, too."""

    @field_validator("s3_endpoint")
    @classmethod
    def _has_no_scheme(cls, endpoint: str) -> str:
        if "/" in endpoint:
            raise ValueError("S3_ENDPOINT must be host:port; leave out the scheme and set S3_SECURE=true for https")
        return endpoint
