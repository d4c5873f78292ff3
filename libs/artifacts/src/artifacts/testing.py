"""An in-memory artifact store for tests."""

from collections.abc import Iterable

from contracts.models.artifact import ArtifactRef

from artifacts.port import ArtifactMissingError, reference, verified


class FakeArtifacts:
    """An `ArtifactStore` whose `blobs`, by sha256, tests can read and change."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}

    async def start(self) -> None:
        """Do nothing: memory is always available."""

    async def stop(self) -> None:
        """Do nothing: a restarted service finds its blobs."""

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Store `data`."""
        ref = reference(data, media_type)
        self.blobs.setdefault(ref.sha256, data)
        return ref

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names; raise `ArtifactMissingError` or `ArtifactCorruptError`."""
        if ref.sha256 not in self.blobs:
            raise ArtifactMissingError(ref, "memory")
        return verified(ref, self.blobs[ref.sha256])

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Return at once; raise `ArtifactMissingError` for blobs never stored."""
        for ref in refs:
            if ref.sha256 not in self.blobs:
                raise ArtifactMissingError(ref, "memory")
