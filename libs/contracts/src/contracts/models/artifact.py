"""References to artifacts; events contain references, never blobs."""

from typing import Annotated

from pydantic import NonNegativeInt, StringConstraints

from contracts.model import Model

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ArtifactRef(Model):
    """Reference to a blob in S3, which is named by the SHA-256 of its content."""

    sha256: Sha256
    media_type: str
    size_bytes: NonNegativeInt
