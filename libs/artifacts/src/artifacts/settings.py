"""Where blobs live."""

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class S3Settings(BaseSettings):
    """An S3-compatible server and the one bucket we keep there."""

    model_config = SettingsConfigDict(extra="ignore", hide_input_in_errors=True)

    s3_endpoint: str
    """`host:port`, without a scheme: `s3_secure` decides between http and https."""
    s3_access_key: str
    s3_secret_key: str = Field(repr=False)
    s3_bucket: str = Field(default="millwright", pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    s3_region: str = "us-east-1"
    """Of the bucket; only Amazon's own servers mind."""
    s3_secure: bool = False

    @field_validator("s3_endpoint")
    @classmethod
    def _has_no_scheme(cls, endpoint: str) -> str:
        if "/" in endpoint:
            raise ValueError("S3_ENDPOINT must be host:port; leave out the scheme and set S3_SECURE=true for https")
        return endpoint
