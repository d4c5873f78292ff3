"""An artifact store in a folder, for what one session makes."""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from artifacts.port import ArtifactMissingError, reference, verified
from contracts.models.artifact import ArtifactRef


class ArtifactFolder:
    """Implements `artifacts.port.ArtifactStore`: a file for each blob, named by its sha256."""

    def __init__(self, folder: Path) -> None:
        """Create the folder if it is missing."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.size_bytes = sum(file.stat().st_size for file in folder.iterdir())
        """Of all blobs together."""

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        """Store `data` durably."""
        ref = reference(data, media_type)
        file = self._folder / ref.sha256
        if not file.exists():
            await asyncio.to_thread(_write, file, data)
            self.size_bytes += ref.size_bytes
        return ref

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names; raise `ArtifactMissingError` or `ArtifactCorruptError`."""
        try:
            data = await asyncio.to_thread((self._folder / ref.sha256).read_bytes)
        except FileNotFoundError as error:
            raise ArtifactMissingError(ref, str(self._folder)) from error
        return verified(ref, data)

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Return at once: what is stored can be read."""
        for ref in refs:
            if not (self._folder / ref.sha256).exists():
                raise ArtifactMissingError(ref, str(self._folder))


def _write(file: Path, data: bytes) -> None:
    """Write a file of which others see all or nothing."""
    fresh = file.with_name(f".{uuid4().hex}")
    try:
        with fresh.open("wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
