"""Files under keys, in a bucket or in a folder: where backups are kept."""

import asyncio
import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from minio import Minio
from minio.deleteobjects import DeleteObject
from minio.error import S3Error

from artifacts.bucket import Bucket
from artifacts.port import ArtifactsUnavailableError
from artifacts.spool import sync_folder

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
CHUNK = 1024 * 1024
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a file that is written: its disk is full."""
T = TypeVar("T")


class FolderUnusableError(ArtifactsUnavailableError):
    """A folder cannot be read or written, or has no space."""

    fix = "free disk space there, make it accessible to this user, or choose another folder"


class ObjectStore(Protocol):
    """Files under keys such as `dumps/a.zst`. Calls raise `ArtifactsUnavailableError` if the store cannot be used."""

    location: str

    async def put(self, key: str, file: Path) -> None:
        """Store a file, in place of one under the same key."""
        ...

    async def get(self, key: str, file: Path) -> bool:
        """Write what is stored into `file`; return False if nothing is. Raises `OSError` if that disk is full."""
        ...

    async def digest(self, key: str) -> str | None:
        """Return the sha256 of what is stored; None if nothing is."""
        ...

    async def sizes(self, prefix: str) -> dict[str, int]:
        """Return the size in bytes of everything whose key begins with `prefix`."""
        ...

    async def delete(self, keys: list[str]) -> None:
        """Delete these; what does not exist counts as deleted."""
        ...


class BucketObjects:
    """An `ObjectStore` in a bucket that is open."""

    def __init__(self, bucket: Bucket) -> None:
        self.location = bucket.location
        self._bucket = bucket

    async def put(self, key: str, file: Path) -> None:
        """See `ObjectStore.put`."""
        await self._bucket.call(lambda client, name: client.fput_object(name, key, str(file), num_parallel_uploads=1))

    async def get(self, key: str, file: Path) -> bool:
        """See `ObjectStore.get`."""
        found = await self._bucket.call(lambda client, name: _download(client, name, key, file))
        if isinstance(found, OSError):
            raise found
        return found

    async def digest(self, key: str) -> str | None:
        """See `ObjectStore.digest`."""
        return await self._bucket.call(lambda client, name: _digest(client, name, key))

    async def sizes(self, prefix: str) -> dict[str, int]:
        """See `ObjectStore.sizes`."""
        return await self._bucket.call(lambda client, name: _sizes(client, name, prefix))

    async def delete(self, keys: list[str]) -> None:
        """See `ObjectStore.delete`."""
        doomed = [DeleteObject(key) for key in keys]
        await self._bucket.call(lambda client, name: list(client.remove_objects(name, iter(doomed))))


class FolderObjects:
    """An `ObjectStore` in a folder, which is created on the first write, for this user only."""

    def __init__(self, folder: Path) -> None:
        self.location = str(folder)
        self._folder = folder

    async def put(self, key: str, file: Path) -> None:
        """See `ObjectStore.put`. A file is whole and on disk, or absent: it gets its name at the end."""
        await self._run(lambda: _copy_whole(file, self._folder, key))

    async def get(self, key: str, file: Path) -> bool:
        """See `ObjectStore.get`."""
        return await self._run(lambda: _copy_out(self._folder / key, file), theirs=FULL)

    async def digest(self, key: str) -> str | None:
        """See `ObjectStore.digest`."""
        return await self._run(lambda: _digest_of_file(self._folder / key))

    async def sizes(self, prefix: str) -> dict[str, int]:
        """See `ObjectStore.sizes`."""
        return await self._run(lambda: _sizes_in_folder(self._folder, prefix))

    async def delete(self, keys: list[str]) -> None:
        """See `ObjectStore.delete`."""
        for key in keys:
            await self._run(lambda path=self._folder / key: path.unlink(missing_ok=True))

    async def _run(self, function: Callable[[], T], *, theirs: tuple[int, ...] = ()) -> T:
        """`theirs`: numbers of errors that are not this folder's, but of the caller's file."""
        try:
            return await asyncio.to_thread(function)
        except OSError as error:
            if error.errno in theirs:
                raise
            raise FolderUnusableError(self.location, f"{error.strerror or error}") from error


def _download(client: Minio, bucket: str, key: str, file: Path) -> bool | OSError:
    try:
        client.fget_object(bucket, key, str(file))
    except S3Error as error:
        if error.code == "NoSuchKey":
            return False
        raise
    except OSError as error:
        if error.errno in FULL:
            return error
        raise
    return True


def _digest(client: Minio, bucket: str, key: str) -> str | None:
    try:
        response = client.get_object(bucket, key)
    except S3Error as error:
        if error.code == "NoSuchKey":
            return None
        raise
    try:
        return _digest_of(response.stream(CHUNK))
    finally:
        response.close()
        response.release_conn()


def _sizes(client: Minio, bucket: str, prefix: str) -> dict[str, int]:
    found = client.list_objects(bucket, prefix=prefix, recursive=True)
    return {each.object_name: each.size or 0 for each in found if each.object_name}


def _copy_whole(file: Path, folder: Path, key: str) -> None:
    target = folder / key
    _make_private(target.parent, folder)
    partial = target.with_name(target.name + ".partial")
    try:
        with file.open("rb") as source, _open_private(partial) as output:
            shutil.copyfileobj(source, output, CHUNK)
            output.flush()
            os.fsync(output.fileno())
        partial.replace(target)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _make_private(folder: Path, top: Path) -> None:
    """Create folders; close those below `top`, and `top` if it is new, to other users."""
    if not top.exists():
        top.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    for each in (*reversed(folder.relative_to(top).parents), folder.relative_to(top)):
        path = top / each
        if path != top:
            path.mkdir(PRIVATE_FOLDER, exist_ok=True)
            path.chmod(PRIVATE_FOLDER)


def _open_private(file: Path) -> BinaryIO:
    file.unlink(missing_ok=True)
    return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb")


def _copy_out(stored: Path, file: Path) -> bool:
    if not stored.is_file():
        return False
    shutil.copyfile(stored, file)
    return True


def _digest_of_file(file: Path) -> str | None:
    if not file.is_file():
        return None
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _digest_of(chunks: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for chunk in chunks:
        found.update(chunk)
    return found.hexdigest()


def _sizes_in_folder(folder: Path, prefix: str) -> dict[str, int]:
    files = [path for path in (folder / prefix).rglob("*") if path.is_file() and path.suffix != ".partial"]
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
