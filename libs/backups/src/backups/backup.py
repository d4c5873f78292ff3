"""Makes, lists, verifies, restores and removes backups."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from artifacts.bucket import Bucket
from artifacts.collection import find_referenced
from artifacts.object_store import ObjectStore
from contracts.models.artifact import ArtifactRef
from store.database import Database
from store.inspection import RecordCounts, count_records
from store.references import recorded_texts

from backups.database_dump import DumpError, PostgresTools, check_dump, digest_of
from backups.manifest import ARTIFACTS, DUMPS, MANIFESTS, Copy, Manifest, artifact_key

KEPT = 7
"""Backups that `remove_old` keeps by default."""
AT_ONCE = 8
"""Artifacts that are copied at the same time."""
BINARY = "application/octet-stream"


class BackupError(Exception):
    """A backup cannot be used, or may not be restored here. The message names what is wrong, and the fix."""


@dataclass(frozen=True)
class Backups:
    """The backups of one database and one bucket."""

    objects: ObjectStore
    """Where they are kept."""
    bucket: Bucket
    """The artifacts, open."""
    database: Database
    tools: PostgresTools

    async def create(self, now: datetime) -> Manifest:
        """Make a backup, also while services write. Raises `BackupError`, `DumpError` and `ArtifactsUnavailableError`.

        The dump comes first: an artifact is stored before an event names it, so that all that the dump names exist.
        """
        async with _temporary_folder() as folder:
            dump_file = folder / "dump.zst"
            counts = await count_records(self.database.engine)
            dump = await self.tools.dump(dump_file)
            named = await find_referenced(self.bucket, recorded_texts(self.database.engine))
            copies = await self._copy_artifacts(named, folder)
            copied = {each.sha256 for each in copies}
            manifest = Manifest(
                name=f"{now:%Y-%m-%dT%H-%M-%SZ}",
                created_at=now,
                schema_revision=counts.schema_version or "",
                dump=dump,
                artifacts=copies,
                missing=tuple(sorted(each for each, media_type in named.items() if media_type and each not in copied)),
                events=counts.events,
                runs=counts.runs,
                skills=counts.skills,
            )
            await self.objects.put(manifest.dump_key, dump_file)
            await self._put_manifest(manifest, folder)
        return manifest

    async def manifests(self) -> list[Manifest]:
        """Return all backups, the oldest first."""
        async with _temporary_folder() as folder:
            return [await self._manifest(key, folder) for key in sorted(await self.objects.sizes(MANIFESTS))]

    async def find(self, name: str | None) -> Manifest:
        """Return the backup of this name, or the newest one; raise `BackupError` if there is none."""
        found = await self.manifests()
        chosen = [each for each in found if name in {None, each.name}]
        if not chosen:
            names = ", ".join(each.name for each in found) or "none"
            raise BackupError(f"{self.objects.location} has no backup {name or ''}; its backups: {names}")
        return chosen[-1]

    async def verify(self, manifest: Manifest) -> list[str]:
        """Return what is wrong with a backup, in one line each: every byte of it is read."""
        async with _temporary_folder() as folder:
            faults = await self._faults_of_dump(manifest, folder)
            for copy in manifest.artifacts:
                file = folder / "artifact"
                if not await self.objects.get(artifact_key(copy.sha256), file):
                    faults.append(f"artifact {copy.sha256} is missing")
                elif await asyncio.to_thread(digest_of, file) != copy.sha256:
                    faults.append(f"artifact {copy.sha256} is corrupt")
        return faults

    async def restore(self, manifest: Manifest, *, replaces: bool = False) -> RecordCounts:
        """Restore database and artifacts, and return what is recorded then.

        Raises `BackupError` if the backup is faulty, or the database has events and `replaces` is not set; nothing is
        changed then. Migrate the database afterwards: users and their rights are not part of a backup.
        """
        recorded = await count_records(self.database.engine)
        if recorded.events and not replaces:
            raise BackupError(f"the database has {recorded.events} events of {recorded.runs} runs, which would be lost")
        faults = await self.verify(manifest)
        if faults:
            raise BackupError(f"the backup {manifest.name} has {len(faults)} faults; the first: {faults[0]}")
        async with _temporary_folder() as folder:
            for copy in manifest.artifacts:
                await self._restore_artifact(copy, folder / "artifact")
            dump_file = folder / "dump.zst"
            await self.objects.get(manifest.dump_key, dump_file)
            await self.tools.restore(dump_file)
        return await count_records(self.database.engine)

    async def remove_old(self, keep: int = KEPT) -> list[str]:
        """Remove all but the newest backups, and what no backup names any more; return the names of the removed."""
        found = await self.manifests()
        kept, old = found[-keep:], found[:-keep]
        await self.objects.delete([each.key for each in old])
        needed = {artifact_key(copy.sha256) for each in kept for copy in each.artifacts}
        needed |= {each.dump_key for each in kept}
        stored = {**await self.objects.sizes(ARTIFACTS), **await self.objects.sizes(DUMPS)}
        await self.objects.delete([key for key in stored if key not in needed])
        return [each.name for each in old]

    async def _copy_artifacts(self, named: Mapping[str, str], folder: Path) -> tuple[Copy, ...]:
        """Copy what has no copy yet; return all that are in the bucket, or were in an earlier backup."""
        stored = await self.objects.sizes(ARTIFACTS)
        turns = asyncio.Semaphore(AT_ONCE)

        async def copy(digest: str, media_type: str) -> Copy | None:
            async with turns:
                size_bytes = stored.get(artifact_key(digest)) or await self._copy_artifact(digest, folder / digest)
            if size_bytes is None:
                return None
            return Copy(sha256=digest, media_type=media_type or BINARY, size_bytes=size_bytes)

        copies = await asyncio.gather(*(copy(*each) for each in sorted(named.items())))
        return tuple(each for each in copies if each is not None)

    async def _copy_artifact(self, digest: str, file: Path) -> int | None:
        """Copy an artifact, and return its size in bytes; None if it is not in the bucket."""
        data = await self.bucket.get(ArtifactRef(sha256=digest, media_type=BINARY, size_bytes=0))
        if data is None:
            return None
        if sha256(data).hexdigest() != digest:
            raise BackupError(f"artifact {digest} is corrupt in {self.bucket.location}: restore an older copy of it")
        await asyncio.to_thread(file.write_bytes, data)
        await self.objects.put(artifact_key(digest), file)
        await asyncio.to_thread(file.unlink)
        return len(data)

    async def _restore_artifact(self, copy: Copy, file: Path) -> None:
        ref = ArtifactRef(sha256=copy.sha256, media_type=copy.media_type, size_bytes=copy.size_bytes)
        if not await self.bucket.contains(ref):
            await self.objects.get(artifact_key(copy.sha256), file)
            await self.bucket.put(ref, await asyncio.to_thread(file.read_bytes))

    async def _faults_of_dump(self, manifest: Manifest, folder: Path) -> list[str]:
        file = folder / "dump.zst"
        if not await self.objects.get(manifest.dump_key, file):
            return [f"{manifest.dump_key} is missing"]
        if await asyncio.to_thread(digest_of, file) != manifest.dump.sha256:
            return [f"{manifest.dump_key} is corrupt"]
        try:
            await check_dump(file)
        except DumpError as error:
            return [str(error)]
        return []

    async def _put_manifest(self, manifest: Manifest, folder: Path) -> None:
        file = folder / "manifest.json"
        await asyncio.to_thread(file.write_text, manifest.model_dump_json(indent=1), "utf-8")
        await self.objects.put(manifest.key, file)

    async def _manifest(self, key: str, folder: Path) -> Manifest:
        file = folder / "manifest.json"
        if not await self.objects.get(key, file):
            raise BackupError(f"{key} was removed while it was read: try again")
        return Manifest.model_validate_json(await asyncio.to_thread(file.read_bytes))


@asynccontextmanager
async def _temporary_folder() -> AsyncGenerator[Path]:
    with TemporaryDirectory(prefix="millwright-backup-") as folder:
        yield Path(folder)
