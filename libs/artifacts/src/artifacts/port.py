"""What the rest of Millwright knows of blobs: how they are named, how they are stored, and how that can fail."""

from hashlib import sha256
from typing import Protocol

from contracts.artifact import ArtifactRef


class ArtifactError(Exception):
    """A blob cannot be had as its reference promises."""

    def __init__(self, ref: ArtifactRef, complaint: str) -> None:
        super().__init__(f"artifact {ref.sha256} ({ref.media_type}, {ref.size_bytes} bytes) {complaint}")
        self.ref = ref


class ArtifactMissingError(ArtifactError):
    """Nobody stored it, or somebody removed it."""

    def __init__(self, ref: ArtifactRef, place: str) -> None:
        super().__init__(ref, f"is not in {place}; store it before an event names it")


class ArtifactCorruptError(ArtifactError):
    """What is stored under its name is something else."""

    def __init__(self, ref: ArtifactRef, found_sha256: str) -> None:
        super().__init__(ref, f"is corrupt (its bytes have the sha256 {found_sha256}); delete it and store it anew")


class ArtifactsUnavailableError(Exception):
    """Nobody answers, or we are not let in."""

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(f"{place} cannot be used: {cause}; check S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY")


class ArtifactStore(Protocol):
    """Content-addressed storage. Storing the same bytes twice is the same as storing them once."""

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Store `data`; when this returns, an event may name it."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the very bytes that `ref` names; raise `ArtifactMissingError` or `ArtifactCorruptError`."""
        ...


def reference(data: bytes, media_type: str) -> ArtifactRef:
    """Return the name that `data` has in any store."""
    return ArtifactRef(sha256=sha256(data).hexdigest(), media_type=media_type, size_bytes=len(data))


def verified(ref: ArtifactRef, data: bytes) -> bytes:
    """Return `data` if it is what `ref` names; raise `ArtifactCorruptError` if not."""
    found = sha256(data).hexdigest()
    if found != ref.sha256:
        raise ArtifactCorruptError(ref, found)
    return data
