"""Dumps of the database by pg_dump, compressed by zstd, and their restoration by pg_restore and psql.

Postgres's own tools take a snapshot that is consistent while services write. Checkpoints are left out, and the rows of
read models: they are caches of the log.
"""

import asyncio
import hashlib
import re
import shutil
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import zstandard

from backups.manifest import Dump

LEVEL = 15
"""Of zstd: about the size of level 19 at a third of its time."""
CHUNK = 1024 * 1024
EXCLUDED = "checkpoints_*"
EXCLUDED_ROWS = ("read_models.*", "backups.*")
"""`millwright migrate` makes those of read models from the log again; requests of backups are of the day."""
MAGIC = b"PGDMP"
"""How a dump begins."""
WORDS_CHARS = 500
PREAMBLE_LINES = 40
"""Of a dump's script, within which it sets all that it sets for the session."""
SETS = re.compile(rb"SET (\w+) = '?([^';]*)'?;\n")
SETS_WHAT_IS_KNOWN = b"""
SELECT pg_catalog.set_config(name, '%s', false) FROM pg_catalog.pg_settings WHERE name = '%s';
"""
UNOWNED = ("--no-owner", "--no-privileges")
"""`millwright migrate` gives services their rights."""


class DumpError(Exception):
    """pg_dump or pg_restore failed, or is missing. The message has its own words and the fix."""


@dataclass(frozen=True)
class PostgresTools:
    """pg_dump and pg_restore for one database."""

    database_url: str
    """With a user that may read everything, and for a restoration own everything."""
    folder: Path | None = None
    """Of the two programs; None: they are on the PATH."""

    async def dump(self, file: Path) -> Dump:
        """Write a compressed dump into `file`. Raises `DumpError`."""
        options = ("--format=custom", "--compress=0", *UNOWNED, f"--exclude-schema={EXCLUDED}")
        options = (*options, *(f"--exclude-table-data={each}" for each in EXCLUDED_ROWS))
        process = await self._start("pg_dump", *options, "--dbname", self._location, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        assert process.stderr is not None
        async with _ended(process):
            written, complaints = await asyncio.gather(_compress(process.stdout, file), process.stderr.read())
            await _require_success(process, "pg_dump", complaints)
        return written

    async def restore(self, file: Path) -> None:
        """Restore a compressed dump into an empty database, in one transaction. Raises `DumpError`.

        psql runs the script of pg_restore, which by itself sets parameters that older servers do not know: the one of
        Postgres 18 cannot restore into Postgres 16.
        """
        pipe = asyncio.subprocess.PIPE
        reader = await self._start("pg_restore", *UNOWNED, "--file=-", stdin=pipe, stdout=pipe)
        async with _ended(reader):
            options = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", self._location)
            writer = await self._start("psql", *options, stdin=pipe, stdout=asyncio.subprocess.DEVNULL)
            async with _ended(writer):
                await _restore(file, reader, writer)

    @property
    def _location(self) -> str:
        """The URL without its password, which arguments would show to every user."""
        parts = urlsplit(self.database_url)
        user = f"{parts.username}@" if parts.username else ""
        return urlunsplit(parts._replace(netloc=user + parts.netloc.rpartition("@")[2]))

    async def _start(
        self, program: str, *options: str, stdin: int | None = None, stdout: int | None = None
    ) -> asyncio.subprocess.Process:
        path = shutil.which(program, path=None if self.folder is None else str(self.folder))
        if path is None:
            raise DumpError(f"{program} is missing: install postgresql-client of the server's version or newer")
        password = unquote(urlsplit(self.database_url).password or "")
        return await asyncio.create_subprocess_exec(
            path,
            *options,
            env={"PGPASSWORD": password},
            stdin=stdin,
            stdout=stdout,
            stderr=asyncio.subprocess.PIPE,
        )


async def check_dump(file: Path) -> None:
    """Raise `DumpError` unless the file decompresses to the end, to a dump."""
    first = b""
    try:
        for chunk in _chunks(file):
            first = first or chunk[: len(MAGIC)]
            await asyncio.sleep(0)
    except zstandard.ZstdError as error:
        raise DumpError(f"{file.name} cannot be decompressed: {error}") from error
    if first != MAGIC:
        raise DumpError(f"{file.name} is not a dump of Postgres")


def digest_of(file: Path) -> str:
    """Return the sha256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


async def _compress(source: asyncio.StreamReader, file: Path) -> Dump:
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with file.open("wb") as output, compressor.stream_writer(output, closefd=False) as writer:
        while chunk := await source.read(CHUNK):
            await asyncio.to_thread(writer.write, chunk)
    return await asyncio.to_thread(_dump_of, file)


def _dump_of(file: Path) -> Dump:
    return Dump(sha256=digest_of(file), size_bytes=file.stat().st_size)


async def _restore(file: Path, reader: asyncio.subprocess.Process, writer: asyncio.subprocess.Process) -> None:
    """Run the dump's script, and commit it once all of it was there."""
    assert reader.stdin is not None
    assert reader.stderr is not None
    assert writer.stdin is not None
    assert writer.stderr is not None
    complaints = asyncio.gather(reader.stderr.read(), writer.stderr.read())
    script = asyncio.create_task(_pass_on(reader, writer.stdin))
    await _decompress(file, reader.stdin)
    await script
    read, written = await complaints
    # A psql that fails ends pg_restore, too: its words are the cause.
    await _require_success(writer, "psql", written)
    await _require_success(reader, "pg_restore", read)


async def _pass_on(reader: asyncio.subprocess.Process, target: asyncio.StreamWriter) -> None:
    assert reader.stdout is not None
    try:
        target.write(b"BEGIN;\n")
        for _ in range(PREAMBLE_LINES):
            target.write(SETS.sub(_set_if_known, await reader.stdout.readline()))
        while chunk := await reader.stdout.read(CHUNK):
            target.write(chunk)
            await target.drain()
        if await reader.wait() == 0:
            target.write(b"COMMIT;\n")
            await target.drain()
    except (BrokenPipeError, ConnectionResetError):  # psql has ended, and its words say why
        if reader.returncode is None:
            reader.kill()
    finally:
        target.close()


def _set_if_known(setting: re.Match[bytes]) -> bytes:
    return SETS_WHAT_IS_KNOWN % (setting[2], setting[1])


async def _decompress(file: Path, target: asyncio.StreamWriter) -> None:
    try:
        for chunk in _chunks(file):
            target.write(chunk)
            await target.drain()
    except (BrokenPipeError, ConnectionResetError):
        return  # pg_restore has ended, and its words say why
    finally:
        target.close()


def _chunks(file: Path) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor()
    with file.open("rb") as stream, decompressor.stream_reader(stream, read_across_frames=True) as reader:
        while chunk := reader.read(CHUNK):
            yield chunk


@asynccontextmanager
async def _ended(process: asyncio.subprocess.Process) -> AsyncGenerator[None]:
    """Kill a process if the block fails or is cancelled: it would wait for ever for who reads its output."""
    try:
        yield
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise


async def _require_success(process: asyncio.subprocess.Process, program: str, complaints: bytes) -> None:
    if await process.wait():
        words = " ".join(complaints.decode(errors="replace").split())
        raise DumpError(f"{program} failed: {words[:WORDS_CHARS] or 'it gave no reason'}")
