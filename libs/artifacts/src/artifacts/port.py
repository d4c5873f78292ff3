"""The artifact store as the rest of Millwright sees it: its interface, its errors, and references to blobs."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Protocol, TypeVar

from contracts.model import Model
from contracts.models.artifact import ArtifactRef

Document = TypeVar("Document", bound=Model)


REPAIR = "whatever makes the same content again repairs it, such as the same run; or restore it from a backup"


class ArtifactError(Exception):
    """The blob that a reference names cannot be read."""

    def __init__(self, ref: ArtifactRef, problem: str) -> None:
        super().__init__(f"artifact {ref.sha256} ({ref.media_type}, {ref.size_bytes} bytes) {problem}")
        self.ref = ref


class ArtifactMissingError(ArtifactError):
    """The blob was never stored, or was deleted."""

    def __init__(self, ref: ArtifactRef, location: str) -> None:
        super().__init__(ref, f"is not in {location}; store it before an event names it")


class ArtifactCorruptError(ArtifactError):
    """The stored bytes have another digest than the reference."""

    def __init__(self, ref: ArtifactRef, found_sha256: str) -> None:
        super().__init__(ref, f"is corrupt (its bytes have the sha256 {found_sha256}); {REPAIR}")


class ArtifactUnreadableError(ArtifactError):
    """The server stores and returns other blobs, but not this one: what it has of it is damaged."""

    def __init__(self, ref: ArtifactRef, location: str) -> None:
        super().__init__(ref, f"cannot be read, while {location} serves other blobs: it is damaged; {REPAIR}")


class ArtifactsUnavailableError(Exception):
    """The store does not answer or denies access. After the cause is fixed, the same call succeeds."""

    fix = "check S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY"

    def __init__(self, location: str, cause: str) -> None:
        super().__init__(f"{location} cannot be used: {cause}; {self.fix}")


class SpoolUnusableError(ArtifactsUnavailableError):
    """The spool cannot be read or written."""

    fix = "free disk space there, or set ARTIFACTS_SPOOL to a writable folder on a disk with free space"

    def __init__(self, folder: Path, cause: str) -> None:
        super().__init__(f"the spool {folder}", cause)


class BlobTooLargeError(Exception):
    """A blob is larger than the spool may be."""

    def __init__(self, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(
            f"a blob of {size_bytes} bytes does not fit into the spool; "
            f"raise ARTIFACTS_SPOOL_LIMIT_BYTES, which is {limit_bytes}"
        )


class ArtifactStore(Protocol):
    """Content-addressed storage: storing the same bytes again repairs a damaged blob. Calls wait out outages."""

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Store `data` durably and start its upload; see `wait_until_uploaded`."""
        ...

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names; raise an `ArtifactError` if they are missing or damaged."""
        ...

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Wait until every service can read these blobs; raise `ArtifactMissingError` for blobs never stored."""
        ...


def reference(data: bytes, media_type: str) -> ArtifactRef:
    """Return the reference to `data`."""
    return ArtifactRef(sha256=sha256(data).hexdigest(), media_type=media_type, size_bytes=len(data))


def verified(ref: ArtifactRef, data: bytes) -> bytes:
    """Return `data` if it has the digest of `ref`; raise `ArtifactCorruptError` if not."""
    found = sha256(data).hexdigest()
    if found != ref.sha256:
        raise ArtifactCorruptError(ref, found)
    return data


async def put_json(artifacts: ArtifactStore, document: Model) -> ArtifactRef:
    """Store a model as JSON."""
    return await artifacts.put(document.model_dump_json().encode(), "application/json")


async def put_steps(artifacts: ArtifactStore, steps: Mapping[str, bytes]) -> dict[str, ArtifactRef]:
    """Store STEP files, by label."""
    return {label: await artifacts.put(step, "model/step") for label, step in steps.items()}


async def get_json(artifacts: ArtifactStore, ref: ArtifactRef, kind: type[Document]) -> Document:
    """Return a model stored by `put_json`; raise an `ArtifactError`, or `ValidationError` for another model."""
    return kind.model_validate_json(await artifacts.get(ref))
