"""What the rest of Millwright knows of blobs: how they are named, how they are stored, and how that can fail."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from contracts.models.artifact import ArtifactRef


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
    """Nobody answers, or we are not let in. It can be mended without us, and then the same call succeeds."""

    mend = "check S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(f"{place} cannot be used: {cause}; {self.mend}")


class SpoolUnusableError(ArtifactsUnavailableError):
    """Blobs cannot be kept on their way to S3."""

    mend = "make room there, or set ARTIFACTS_SPOOL to a folder that is writable and has room"

    def __init__(self, folder: Path, cause: str) -> None:
        super().__init__(f"the spool {folder}", cause)


class BlobTooLargeError(Exception):
    """A blob alone is larger than the spool may be."""

    def __init__(self, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(
            f"a blob of {size_bytes} bytes does not fit into the spool; "
            f"raise ARTIFACTS_SPOOL_LIMIT_BYTES, which is {limit_bytes}"
        )


class ArtifactStore(Protocol):
    """Content-addressed storage. Storing the same bytes twice is the same as storing them once.

    An outage of what is behind it is waited out; it makes no call fail.
    """

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Keep `data` safe from our own death; it is on its way from now on. Before an event names it: `uploaded`."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the very bytes that `ref` names; raise `ArtifactMissingError` or `ArtifactCorruptError`."""
        ...

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait until everyone can get these; raise `ArtifactMissingError` for what nobody put."""
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
