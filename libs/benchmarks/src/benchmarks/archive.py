"""Benchmarks as one file: packed so that equal folders give equal bytes, and unpacked as data of strangers."""

import gzip
import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from contracts.settings import COMMAND

from benchmarks.loader import CODE, FILE, LEVELS, WITNESS, BenchmarkError, BenchmarkTooLargeError, load, read_witness
from benchmarks.regular_file import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, read_regular_file

SUFFIXES = (".tar.gz", ".tgz", ".zip")
PACKED = (FILE, LEVELS, CODE, WITNESS)
"""Patterns of the files that an archive may contain."""
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_FAULTS = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, OSError, RuntimeError, ValueError, struct.error)
"""Of archives that are broken, or packed in a way that Python does not read."""


def is_archive(file: Path) -> bool:
    """Return whether a file's name is that of an archive."""
    return file.name.endswith(SUFFIXES)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a benchmark's folder that are packed, by name; raise `BenchmarkError`."""
    load(str(folder), 0)
    found = sorted({path for pattern in PACKED for path in folder.glob(pattern)})
    if len(found) > MAX_FILES:
        raise BenchmarkError(str(folder), f"it has {len(found)} files, more than {MAX_FILES}; split its levels")
    try:
        files = {path.name: read_regular_file(path) for path in found}
    except OSError as error:
        raise BenchmarkError(str(error.filename), f"it cannot be read: {error.strerror}") from error
    if (total := sum(map(len, files.values()))) > MAX_TOTAL_BYTES:
        raise BenchmarkError(str(folder), f"its files have {total} bytes, more than {MAX_TOTAL_BYTES}; shorten them")
    return files | ({WITNESS: read_witness(folder / FILE).encode()} if WITNESS in files else {})


def pack(name: str, files: Mapping[str, bytes], suffix: str) -> bytes:
    """Return an archive with a folder `name` of these files: sorted, with fixed times, owners and modes."""
    entries = [(f"{name}/{file}", content) for file, content in sorted(files.items())]
    return _zip(entries) if suffix == ".zip" else _tar(entries)


def _tar(entries: list[tuple[str, bytes]]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, content in entries:
            member = tarfile.TarInfo(path)  # its time and its owner are 0
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=0)


def _zip(entries: list[tuple[str, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in entries:
            member = zipfile.ZipInfo(path, _ZIP_TIME)
            member.create_system, member.external_attr = 3, (stat.S_IFREG | 0o644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content, compresslevel=9)
    return packed.getvalue()


def unpack(file: Path) -> dict[str, bytes]:
    """Return the files of an archive by their plain names; raise `BenchmarkError` for anything else inside."""
    try:
        content = read_regular_file(file, MAX_TOTAL_BYTES, follows_links=True)
    except OSError as error:
        raise BenchmarkError(str(file), f"it cannot be unpacked: {error.strerror}") from error
    return unpack_bytes(str(file), content)


def unpack_bytes(where: str, packed: bytes) -> dict[str, bytes]:
    """Return the files of an archive, as `unpack` does; the name `where` tells by its ending how it is packed."""
    if len(packed) > MAX_TOTAL_BYTES:
        raise BenchmarkTooLargeError(where, f"it has more than {MAX_TOTAL_BYTES} bytes; pack the benchmark alone")
    try:
        files = _files_in(where, _zip_entries(where, packed) if where.endswith(".zip") else _tar_entries(where, packed))
    except BenchmarkError:
        raise
    except _FAULTS as error:
        raise BenchmarkError(
            where, f"it cannot be unpacked: {error}; pack it with `{COMMAND} benchmark pack`"
        ) from error
    if missing := {FILE, CODE} - set(files):
        raise BenchmarkError(where, f"{' and '.join(sorted(missing))} missing; pack a whole benchmark")
    return files


def _files_in(where: str, entries: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Return the files by their plain names; raise `BenchmarkError` for any that a benchmark does not have."""
    files, folders = dict[str, bytes](), set[str]()
    for path, content in entries:
        name = _plain_name(path, where)
        if name in files:
            raise BenchmarkError(where, f"{name} occurs twice; pack one folder only")
        files[name] = content
        folders.add(PurePosixPath(path).parent.as_posix())
        if len(files) > MAX_FILES:
            raise BenchmarkTooLargeError(where, f"it contains more than {MAX_FILES} files; pack one benchmark only")
    if len(folders) > 1:
        raise BenchmarkError(where, f"it contains {len(folders)} folders; pack one benchmark only")
    return files


def _plain_name(path: str, where: str) -> str:
    """Return the name of a file of a benchmark in the archive's folder or at its top."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or "\\" in path or ":" in path or "\0" in path:
        raise BenchmarkError(where, f"{path!r} is not a relative path; pack the folder by its name")
    if ".." in parts:
        raise BenchmarkError(where, f"{path!r} leaves its folder; remove '..' from the path")
    if not 1 <= len(parts) <= 2 or not any(fnmatchcase(parts[-1], pattern) for pattern in PACKED):
        raise BenchmarkError(where, f"{path!r} is not a file of a benchmark ({', '.join(PACKED)}); remove it")
    return parts[-1]


def _tar_entries(where: str, packed: bytes) -> Iterator[tuple[str, bytes]]:
    with gzip.open(io.BytesIO(packed)) as compressed:
        content = compressed.read(MAX_TOTAL_BYTES + 1)  # before tarfile sees it: its headers have no limit
    if len(content) > MAX_TOTAL_BYTES:
        raise BenchmarkTooLargeError(where, f"its content is larger than {MAX_TOTAL_BYTES} bytes; pack less")
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
        for member in tar:
            if member.isdir():
                continue
            if not member.isreg():
                raise BenchmarkError(where, f"{member.name!r} is a link or a device; pack the file itself")
            _require_size(member.name, member.size, where)
            read = tar.extractfile(member)
            yield member.name, read.read() if read is not None else b""


def _zip_entries(where: str, packed: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in {0, stat.S_IFREG}:
                raise BenchmarkError(where, f"{member.filename!r} is a link or a device; pack the file itself")
            if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise BenchmarkError(where, f"{member.filename!r} is packed in an unusual way; use deflate")
            with archive.open(member) as opened:
                content = opened.read(MAX_FILE_BYTES + 1)  # the size in the header may be wrong
            _require_size(member.filename, max(member.file_size, len(content)), where)
            yield member.filename, content


def _require_size(name: str, size: int, where: str) -> None:
    if size > MAX_FILE_BYTES:
        raise BenchmarkTooLargeError(where, f"{name!r} has {size} bytes, more than {MAX_FILE_BYTES}; shorten it")
