"""Copies of artifacts: every byte is compared with the digest, in the bucket and where backups are kept."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from artifacts.bucket import Bucket, S3OutageError
from artifacts.object_store import ObjectStore
from artifacts.port import (
    ArtifactError,
    ArtifactMissingError,
    ArtifactsUnavailableError,
    ArtifactUnreadableError,
    verified,
)
from artifacts.retry import retry_within
from contracts.models.artifact import ArtifactRef

from backups.manifest import ARTIFACTS, Copy, artifact_key

AT_ONCE = 8
"""Artifacts that are read at the same time."""
BINARY = "application/octet-stream"
ATTEMPTS, PAUSE_S = 4, 0.25
OUTAGE_S = 30.0
"""How long an outage is waited out: a server that has just started may fail for seconds on a busy machine."""

X = TypeVar("X")
T = TypeVar("T")


@dataclass(frozen=True)
class Copied:
    """What came of copying."""

    copies: tuple[Copy, ...]
    missing: tuple[str, ...]
    """Digests of artifacts that are neither in the bucket nor among the copies."""
    corrupt: tuple[str, ...]
    """Digests of artifacts whose bytes are others in the bucket, and of which there is no whole copy."""


@dataclass(frozen=True)
class ArtifactCopies:
    """The artifacts of one bucket, and their copies."""

    objects: ObjectStore
    bucket: Bucket

    async def read(self, digest: str) -> bytes:
        """Return the bytes from the bucket. Raises `ArtifactError` unless they are whole, `S3OutageError` otherwise."""
        return await retry_within(OUTAGE_S, lambda: self._read(digest))

    async def _read(self, digest: str) -> bytes:
        """Read once; `S3OutageError` if nothing can be read, not this artifact alone."""
        ref = _reference(digest)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                data = await self.bucket.get(ref)
            except S3OutageError as error:
                if attempt == ATTEMPTS:
                    await self.bucket.stored_size(ref)  # raises in an outage
                    raise ArtifactUnreadableError(ref, self.bucket.location) from error
                await asyncio.sleep(PAUSE_S)
            else:
                break
        else:
            raise AssertionError("the last attempt returns or raises")
        if data is None:
            raise ArtifactMissingError(ref, self.bucket.location)
        return await asyncio.to_thread(verified, ref, data)

    async def read_named(self, digest: str, folder: Path) -> bytes:
        """Return an artifact that may name others: from the bucket, else from its copy; empty if neither is whole."""
        try:
            return await self.read(digest)
        except ArtifactError:
            file = folder / uuid4().hex
            if await self.is_whole(digest) and await self.objects.get(artifact_key(digest), file):
                return await asyncio.to_thread(file.read_bytes)
            return b""

    async def copy(self, named: Mapping[str, str], folder: Path) -> Copied:
        """Copy what has no whole copy yet; `named` has the media types by digest, empty ones for what may be no
        artifact."""
        stored = await self.objects.sizes(ARTIFACTS)
        problems: dict[str, ArtifactError] = {}

        async def copy(digest: str) -> Copy | None:
            size_bytes = stored.get(artifact_key(digest))
            if size_bytes is None or not await self.is_whole(digest):
                try:
                    size_bytes = await self._copy_one(digest, folder)
                except ArtifactError as error:
                    problems[digest] = error
                    return None
            return Copy(sha256=digest, media_type=named[digest] or BINARY, size_bytes=size_bytes)

        copies = await _in_turns(copy, sorted(named))
        gone = {each for each, error in problems.items() if isinstance(error, ArtifactMissingError)}
        return Copied(
            copies=tuple(each for each in copies if each is not None),
            missing=tuple(sorted(each for each in gone if named[each])),
            corrupt=tuple(sorted(problems.keys() - gone)),
        )

    async def faults(self, copies: Iterable[Copy]) -> dict[str, str]:
        """Return what is wrong with copies, by digest."""
        found: dict[str, str] = {}

        async def check(copy: Copy) -> None:
            digest = copy.sha256
            try:
                stored = await self.objects.digest(artifact_key(digest))
            except ArtifactsUnavailableError as error:
                found[digest] = f"artifact {digest} cannot be read: {error}"
            else:
                if stored != digest:
                    found[digest] = f"artifact {digest} is {'missing' if stored is None else 'corrupt'}"

        await _in_turns(check, copies)
        return found

    async def restore(self, copies: Iterable[Copy], folder: Path) -> None:
        """Give the bucket every artifact whose bytes it lacks. Raises `ArtifactError` if it has others afterwards."""
        await _in_turns(lambda copy: self._restore_one(copy, folder), copies)

    async def is_whole(self, digest: str) -> bool:
        """Return whether the copy of an artifact has the bytes of its digest."""
        try:
            return await self.objects.digest(artifact_key(digest)) == digest
        except ArtifactsUnavailableError:
            return False  # if more than this one cannot be read, writing it again fails, and says so

    async def _copy_one(self, digest: str, folder: Path) -> int:
        data = await self.read(digest)
        file = folder / uuid4().hex
        await asyncio.to_thread(file.write_bytes, data)
        try:
            await self.objects.put(artifact_key(digest), file)
        finally:
            await asyncio.to_thread(file.unlink)
        return len(data)

    async def _restore_one(self, copy: Copy, folder: Path) -> None:
        try:
            await self.read(copy.sha256)
        except ArtifactError:
            file = folder / uuid4().hex
            await self.objects.get(artifact_key(copy.sha256), file)
            ref = ArtifactRef(sha256=copy.sha256, media_type=copy.media_type, size_bytes=copy.size_bytes)
            data = await asyncio.to_thread(lambda: verified(ref, file.read_bytes()))
            await asyncio.to_thread(file.unlink)
            await retry_within(OUTAGE_S, lambda: self.bucket.put(ref, data))
            await self.read(copy.sha256)


def _reference(digest: str) -> ArtifactRef:
    """Return a reference of which only the digest counts."""
    return ArtifactRef(sha256=digest, media_type=BINARY, size_bytes=0)


async def _in_turns(work: Callable[[X], Awaitable[T]], items: Iterable[X]) -> list[T]:
    """Return the results in order; after a failure nothing goes on."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(item: X) -> T:
        async with turns:
            return await work(item)

    tasks = [asyncio.create_task(one(each)) for each in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
