"""Makes, lists, verifies, restores and removes backups."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from artifacts.bucket import Bucket
from artifacts.collection import find_referenced
from artifacts.object_store import ObjectStore
from artifacts.port import ArtifactError, ArtifactsUnavailableError
from pydantic import ValidationError
from store.backup_requests import backup_lock
from store.database import Database, Replacement
from store.inspection import RecordCounts, count_records
from store.migrate import known_versions, migrate
from store.references import recorded_texts
from store.settings import DatabaseSettings

from backups.artifact_copies import ArtifactCopies
from backups.database_dump import DumpError, PostgresTools, check_dump, digest_of
from backups.manifest import ARTIFACTS, DUMPS, MANIFESTS, Copy, Manifest, artifact_key, dump_key

KEPT = 7
"""Backups that `remove_old` keeps by default."""


class BackupError(Exception):
    """A backup cannot be used, or may not be restored here. The message names what is wrong, and the fix."""


@dataclass(frozen=True)
class Listing:
    """The backups of one place, the oldest first."""

    location: str
    manifests: list[Manifest]
    unreadable: dict[str, str]
    """What is wrong with manifests that cannot be read, by key."""

    def find(self, name: str | None) -> Manifest:
        """Return the backup of this name, or the newest one; raise `BackupError` if there is none."""
        chosen = [each for each in self.manifests if name in {None, each.name}]
        if chosen:
            return chosen[-1]
        for key, problem in self.unreadable.items():
            if name == _name_of(key):
                raise BackupError(f"the backup {name} cannot be used: {problem}")
        names = ", ".join(each.name for each in self.manifests) or "none"
        raise BackupError(f"{self.location} has no backup {name or ''}; its backups: {names}")


@dataclass(frozen=True)
class Restored:
    """What a restoration recorded, and what it could not restore."""

    counts: RecordCounts
    lost: tuple[str, ...]
    """What is wrong with artifacts, one line each."""


@dataclass(frozen=True)
class Backups:
    """The backups of one database and one bucket."""

    objects: ObjectStore
    """Where they are kept."""
    bucket: Bucket
    """The artifacts, open."""
    database: Database
    tools: PostgresTools

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """Let no other process make or remove backups: each would remove the other's copies.

        Raises `BackupInProgressError`.
        """
        async with backup_lock(self.database.engine):
            yield

    async def create(self, now: datetime) -> Manifest:
        """Make a backup, also while services write. Raises `BackupError`, `DumpError` and `ArtifactsUnavailableError`.

        The dump comes first: an artifact is stored before an event names it, so that all that the dump names exist.
        Artifacts that are lost do not prevent it: the manifest names them.
        """
        async with _temporary_folder() as folder:
            dump_file = folder / "dump.zst"
            counts = await count_records(self.database.engine)
            dump = await self.tools.dump(dump_file)
            texts = recorded_texts(self.database.engine)
            named = await find_referenced(texts, lambda digest: self._copies.read_named(digest, folder))
            copied = await self._copies.copy(named, folder)
            manifest = Manifest(
                name=f"{now:%Y-%m-%dT%H-%M-%SZ}",
                created_at=now,
                schema_revision=counts.schema_version or "",
                dump=dump,
                artifacts=copied.copies,
                missing=copied.missing,
                corrupt=copied.corrupt,
                events=counts.events,
                runs=counts.runs,
                skills=counts.skills,
            )
            await self.objects.put(manifest.dump_key, dump_file)
            await self._put_manifest(manifest, folder)
        return manifest

    async def read_all(self) -> Listing:
        """Return all backups; a manifest that cannot be read does not hide the others."""
        listing = Listing(self.objects.location, [], {})
        async with _temporary_folder() as folder:
            for key in sorted(await self.objects.sizes(MANIFESTS)):
                try:
                    listing.manifests.append(await self._manifest(key, folder))
                except (BackupError, ArtifactsUnavailableError) as error:
                    listing.unreadable[key] = str(error)
        return listing

    async def verify(self, manifest: Manifest) -> list[str]:
        """Return what is wrong with a backup, in one line each: every byte of it is read."""
        async with _temporary_folder() as folder:
            faults = await self._faults_of_dump(manifest, folder)
            return [*faults, *(await self._copies.faults(manifest.artifacts)).values()]

    async def restore(self, manifest: Manifest, *, replaces: bool = False, damaged: bool = False) -> Restored:
        """Restore database and artifacts, and migrate the database to this version.

        Raises `BackupError` if the backup is faulty, unless only artifacts are and `damaged` is set, or if the
        database has events and `replaces` is not set; and `DatabaseInUseError` while services use the database.
        Nothing of the database is changed then. Users and their rights are not part of a backup: `millwright migrate`.
        """
        await self._require_restorable(manifest, replaces=replaces)
        async with _temporary_folder() as folder:
            faults = await self._faults_of_dump(manifest, folder)
            lost = await self._copies.faults(manifest.artifacts)
            if faults or (lost and not damaged):
                raise BackupError(_refusal(manifest, [*faults, *lost.values()], only_artifacts=not faults))
            await self.database.engine.dispose()  # its connections would keep the database from being replaced
            new = Replacement(DatabaseSettings(database_url=self.tools.database_url))
            await new.create()
            try:
                await replace(self.tools, database_url=new.settings.database_url).restore(folder / "dump.zst")
                await migrate(new.settings)
                whole = [each for each in manifest.artifacts if each.sha256 not in lost]
                await self._restore_artifacts(whole, folder)
                await new.take_place()
            finally:
                await new.drop()
        return Restored(await count_records(self.database.engine), tuple(lost.values()))

    async def remove_old(self, keep: int = KEPT) -> list[str]:
        """Remove all but the newest backups, and what no backup names any more; return the names of the removed.

        What a manifest that cannot be read may name is kept: all copies of artifacts, and the dump of its name.
        """
        listing = await self.read_all()
        kept, old = listing.manifests[-keep:], listing.manifests[:-keep]
        await self.objects.delete([each.key for each in old])
        needed = {each.dump_key for each in kept} | {dump_key(_name_of(key)) for key in listing.unreadable}
        stored = set(await self.objects.sizes(DUMPS))
        if not listing.unreadable:
            needed |= {artifact_key(copy.sha256) for each in kept for copy in each.artifacts}
            stored |= set(await self.objects.sizes(ARTIFACTS))
        await self.objects.delete(sorted(stored - needed))
        return [each.name for each in old]

    @property
    def _copies(self) -> ArtifactCopies:
        return ArtifactCopies(self.objects, self.bucket)

    async def _require_restorable(self, manifest: Manifest, *, replaces: bool) -> None:
        recorded = await count_records(self.database.engine)
        if recorded.events and not replaces:
            raise BackupError(
                f"the database has {recorded.events} events of {recorded.runs} runs, which would be lost: "
                "back it up, then restore with --replace"
            )
        if manifest.schema_revision not in known_versions():
            raise BackupError(
                f"the backup {manifest.name} was made by another version of Millwright (its schema is "
                f"{manifest.schema_revision or 'none'}, and this version knows {known_versions()[0]} and older ones): "
                "restore it with that version or a newer one"
            )

    async def _restore_artifacts(self, copies: list[Copy], folder: Path) -> None:
        try:
            await self._copies.restore(copies, folder)
        except ArtifactError as error:
            raise BackupError(f"{self.bucket.location} does not keep what is written into it: {error}") from error

    async def _faults_of_dump(self, manifest: Manifest, folder: Path) -> list[str]:
        """Return what is wrong with the dump, which is `dump.zst` of the folder afterwards."""
        file = folder / "dump.zst"
        try:
            if not await self.objects.get(manifest.dump_key, file):
                return [f"{manifest.dump_key} is missing"]
            if await asyncio.to_thread(digest_of, file) != manifest.dump.sha256:
                return [f"{manifest.dump_key} is corrupt"]
            await check_dump(file)
        except (DumpError, ArtifactsUnavailableError) as error:
            return [f"{manifest.dump_key}: {error}"]
        return []

    async def _put_manifest(self, manifest: Manifest, folder: Path) -> None:
        file = folder / "manifest.json"
        await asyncio.to_thread(file.write_text, manifest.model_dump_json(indent=1), "utf-8")
        await self.objects.put(manifest.key, file)

    async def _manifest(self, key: str, folder: Path) -> Manifest:
        file = folder / "manifest.json"
        if not await self.objects.get(key, file):
            raise BackupError(f"{key} was removed while it was read")
        try:
            manifest = Manifest.model_validate_json(await asyncio.to_thread(file.read_bytes))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            raise BackupError(f"{key} is not a manifest: {first['msg']}") from error
        if manifest.key != key:
            raise BackupError(f"{key} is the manifest of another backup, {manifest.name}")
        return manifest


def _name_of(key: str) -> str:
    return key.removeprefix(MANIFESTS).removesuffix(".json")


def _refusal(manifest: Manifest, faults: list[str], *, only_artifacts: bool) -> str:
    fix = "restore an older backup"
    if only_artifacts:
        fix += ", or all but these artifacts with --damaged"
    return f"the backup {manifest.name} has {len(faults)} faults; the first: {faults[0]}; {fix}"


@asynccontextmanager
async def _temporary_folder() -> AsyncGenerator[Path]:
    try:
        with TemporaryDirectory(prefix="millwright-backup-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except OSError as error:
        raise BackupError(
            f"{tempfile.gettempdir()}, where a dump lies before it is stored, cannot be used: "
            f"{error.strerror or error}; free disk space there, or set TMPDIR to a folder that has more"
        ) from error
