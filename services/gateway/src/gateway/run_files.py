"""The files of a run: those that its events name, and those that are written from its events."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from uuid import UUID

from artifacts.port import ArtifactError
from chassis.stream.large_fields import LargeFields
from contracts.models.artifact import ArtifactRef
from run_report.account import RunAccount, plain
from run_report.accounts import account_of
from run_report.delivery import REPORT_HTML
from run_report.document import report_html
from run_report.record import NotReportableError

from gateway.context import Context
from gateway.http.problems import UnknownAddressError

MAX_NAME_CHARS = 240
LOST = "lost.txt"
"""In a zip: the files that the store has lost."""
_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
}


@dataclass(frozen=True)
class RunFiles:
    """The files of one run."""

    account: RunAccount

    @classmethod
    async def of(cls, context: Context, run_id: UUID) -> "RunFiles":
        """Read a run, recorded or just requested; raise `UnknownAddressError` if there is none that has files."""
        events = await context.log.events_of(run_id)
        try:
            return cls(account_of(events or [await context.opening_of(run_id)]))
        except NotReportableError as error:
            raise UnknownAddressError(f"run {run_id} has no files: {error}") from error

    @property
    def name(self) -> str:
        """What the names of its files begin with."""
        return self.account.name

    @property
    def stored(self) -> Mapping[str, ArtifactRef]:
        """Those in the store, by their paths."""
        return self.account.stored

    @property
    def written(self) -> tuple[str, ...]:
        """The paths of those that are written from the events."""
        return (*self.account.written, REPORT_HTML)

    def saved_as(self, path: str) -> str:
        """Return the name under which a browser saves a file."""
        return f"{self.name}-{plain(path.replace('/', '-'))}"[-MAX_NAME_CHARS:].lstrip(".-")

    async def write(self, context: Context, path: str) -> bytes:
        """Return one of the written files."""
        return await _written(await self._whole(context), path, context)

    async def _whole(self, context: Context) -> RunAccount:
        """Return the account with its long texts."""
        fields = LargeFields(context.artifacts)
        return account_of([await fields.restore(event) for event in self.account.events])

    async def zipped(self, context: Context) -> AsyncIterator[bytes]:
        """Yield a zip of all files in a folder of the run's name; one file at a time is in memory.

        What the store has lost is named in a file of the zip: the rest is worth having.
        """
        lost: list[str] = []
        whole: RunAccount | None = None
        packed = _Packed()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in (*self.written, *self.stored):
                try:
                    whole = whole or await self._whole(context)
                    stored = self.stored.get(path)
                    data = await (context.artifacts.get(stored) if stored else _written(whole, path, context))
                except ArtifactError as error:
                    lost.append(f"{path}: {error}\n")
                    continue
                await asyncio.to_thread(archive.writestr, f"{self.name}/{path}", data)
                yield packed.take()
            if lost:
                archive.writestr(f"{self.name}/{LOST}", "".join(lost))
        yield packed.take()


async def _written(account: RunAccount, path: str, context: Context) -> bytes:
    if path == REPORT_HTML:
        return (await report_html(account.events, context.artifacts)).encode()
    return account.written[path].encode()


class _Packed:
    """What a zip writes, until it is taken: it cannot be sought in, so that nothing of it must be kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: bytes, /) -> int:
        self._parts.append(part)
        return len(part)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def written_type(path: str) -> str:
    """Return the media type of a written file."""
    return _TYPES.get(PurePosixPath(path).suffix, "text/plain")
