"""Blobs are named, never carried."""

from typing import Annotated

from pydantic import NonNegativeInt, StringConstraints

from contracts.model import Model

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ArtifactRef(Model):
    """A blob in S3, named by what it contains."""

    sha256: Sha256
    media_type: str
    size_bytes: NonNegativeInt
