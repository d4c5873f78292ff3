"""Files under keys, in a bucket or in a folder: where backups are kept."""

import asyncio
import shutil
from pathlib import Path
from typing import Protocol

from minio import Minio
from minio.deleteobjects import DeleteObject
from minio.error import S3Error

from artifacts.bucket import Bucket


class ObjectStore(Protocol):
    """Files under keys such as `dumps/a.zst`. Calls raise `ArtifactsUnavailableError` if the store cannot be used."""

    location: str

    async def put(self, key: str, file: Path) -> None:
        """Store a file, in place of one under the same key."""
        ...

    async def get(self, key: str, file: Path) -> bool:
        """Write what is stored into `file`; return False if nothing is."""
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
        return await self._bucket.call(lambda client, name: _download(client, name, key, file))

    async def sizes(self, prefix: str) -> dict[str, int]:
        """See `ObjectStore.sizes`."""
        return await self._bucket.call(lambda client, name: _sizes(client, name, prefix))

    async def delete(self, keys: list[str]) -> None:
        """See `ObjectStore.delete`."""
        doomed = [DeleteObject(key) for key in keys]
        await self._bucket.call(lambda client, name: list(client.remove_objects(name, iter(doomed))))


class FolderObjects:
    """An `ObjectStore` in a folder, which is created on the first write."""

    def __init__(self, folder: Path) -> None:
        self.location = str(folder)
        self._folder = folder

    async def put(self, key: str, file: Path) -> None:
        """See `ObjectStore.put`. A file is whole or absent: it gets its name at the end."""
        await asyncio.to_thread(_copy_whole, file, self._folder / key)

    async def get(self, key: str, file: Path) -> bool:
        """See `ObjectStore.get`."""
        stored = self._folder / key
        if not await asyncio.to_thread(stored.is_file):
            return False
        await asyncio.to_thread(shutil.copyfile, stored, file)
        return True

    async def sizes(self, prefix: str) -> dict[str, int]:
        """See `ObjectStore.sizes`."""
        return await asyncio.to_thread(_sizes_in_folder, self._folder, prefix)

    async def delete(self, keys: list[str]) -> None:
        """See `ObjectStore.delete`."""
        for key in keys:
            await asyncio.to_thread((self._folder / key).unlink, missing_ok=True)


def _download(client: Minio, bucket: str, key: str, file: Path) -> bool:
    try:
        client.fget_object(bucket, key, str(file))
    except S3Error as error:
        if error.code == "NoSuchKey":
            return False
        raise
    return True


def _sizes(client: Minio, bucket: str, prefix: str) -> dict[str, int]:
    found = client.list_objects(bucket, prefix=prefix, recursive=True)
    return {each.object_name: each.size or 0 for each in found if each.object_name}


def _copy_whole(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    shutil.copyfile(file, partial)
    partial.replace(target)


def _sizes_in_folder(folder: Path, prefix: str) -> dict[str, int]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".partial"]
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    return {key: size for key, size in sizes.items() if key.startswith(prefix)}
