"""Publication: the files of a benchmark as one archive in S3, and its row in Postgres."""

import io
import zipfile
from typing import Protocol
from uuid import UUID

from artifacts.port import ArtifactStore
from benchmarks.author_texts import FIELDS
from contracts.events.benchmark import BenchmarkRequested, Draft
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import BenchmarkFiles
from store.benchmarks import GeneratedBenchmark

from benchmark_generator.drafts import digest_of

MOST_SHOWN = 40
"""Published benchmarks that a new author is shown."""
ARCHIVE_TYPE = "application/zip"
_WHEN = (1980, 1, 1, 0, 0, 0)
"""The earliest time of the format: equal files make equal archives."""


class BenchmarkTable(Protocol):
    """The published benchmarks; see `store.benchmarks.GeneratedBenchmarks`."""

    async def publish(self, benchmark: GeneratedBenchmark) -> str:
        """Store a benchmark, once for each run; return why it is not new, empty if it is stored."""
        ...

    async def conflict(self, name: str, digest: str, run_id: UUID) -> str:
        """Return which benchmark of another run has the same name or the same world; empty if none has."""
        ...

    async def newest(self, limit: int) -> list[tuple[str, str]]:
        """Return names and titles of the newest benchmarks, the newest first."""
        ...


class Publications:
    """Publishes each benchmark once; none has the name, or the world, of another."""

    def __init__(self, artifacts: ArtifactStore, benchmarks: BenchmarkTable) -> None:
        self._artifacts = artifacts
        self._benchmarks = benchmarks

    async def newest(self) -> list[str]:
        """Return a line with name and title for each of the newest benchmarks."""
        return [f"{name}: {title}" for name, title in await self._benchmarks.newest(MOST_SHOWN)]

    async def conflict(self, draft: Draft, run_id: UUID) -> str:
        """Return why a draft is not new; empty if it is."""
        return await self._benchmarks.conflict(draft.name, digest_of(draft), run_id)

    async def publish(self, draft: Draft, request: BenchmarkRequested, *, has_motion: bool) -> ArtifactRef | str:
        """Store a draft and return its archive, or why it is not new. The same again changes nothing."""
        archive = await self._artifacts.put(archive_of(draft.files), ARCHIVE_TYPE)
        benchmark = GeneratedBenchmark(
            name=draft.name,
            run_id=request.run_id,
            title=draft.title,
            level=request.brief.level,
            task=request.brief.task,
            model=request.model,
            digest=digest_of(draft),
            has_motion=has_motion,
            artifact=archive,
        )
        return await self._benchmarks.publish(benchmark) or archive


def archive_of(files: BenchmarkFiles) -> bytes:
    """Return a zip of the files: of the same files always the same octets."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for path, field in FIELDS.items():
            entry = zipfile.ZipInfo(path, _WHEN)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, str(getattr(files, field)))
    return packed.getvalue()
