"""The files of a run: of its delivered design, else of its last valid one, and what is written from its events."""

import asyncio
import re
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

from artifacts.port import ArtifactError
from chassis.stream.large_fields import LargeFields
from contracts.events.run import RunSucceeded
from contracts.models.artifact import ArtifactRef
from run_report.delivery import BILL, REPORT_HTML, REPORT_MD, bill_csv, report_md, stored_files
from run_report.document import report_html
from run_report.record import NotReportableError, ReportedRun

from gateway.context import Context
from gateway.http.problems import UnknownAddressError

WORKSPACE = "workspace.zip"
"""script.py and the other files of the engineer, who chose their names."""
MAX_NAME_CHARS = 240
LOST = "lost.txt"
"""In a zip: the files that the store has lost."""
WRITTEN_TYPES = {BILL: "text/csv", REPORT_MD: "text/markdown", REPORT_HTML: "text/html"}
_NOT_PLAIN = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class RunFiles:
    """The files of one run."""

    record: ReportedRun
    stored: dict[str, ArtifactRef]
    """By their paths, as the command writes them."""

    @classmethod
    async def of(cls, context: Context, run_id: UUID) -> "RunFiles":
        """Read a run; raise `UnknownAddressError` if there is none that solves a benchmark."""
        events = await context.log.events_of(run_id)
        try:
            record = ReportedRun.of(events)
        except NotReportableError as error:
            raise UnknownAddressError(f"run {run_id} has no files: {error}") from error
        delivery = record.delivery
        stored = {} if delivery is None else {**stored_files(delivery), WORKSPACE: delivery.script}
        return cls(record, stored)

    @property
    def name(self) -> str:
        """What the names of its files begin with: benchmark, seed and the beginning of the run's id."""
        variant = self.record.request.assignment.variant
        return f"{_plain(variant.benchmark)}-seed{variant.seed}-{str(self.record.request.run_id)[:8]}"

    @property
    def written(self) -> tuple[str, ...]:
        """The paths of those that are written from the events."""
        has_end = isinstance(self.record.end, RunSucceeded)
        return (*((BILL,) if self.record.bill else ()), *((REPORT_MD,) if has_end else ()), REPORT_HTML)

    def saved_as(self, path: str) -> str:
        """Return the name under which a browser saves a file."""
        return f"{self.name}-{_plain(path.replace('/', '-'))}"[-MAX_NAME_CHARS:].lstrip(".-")

    async def write(self, context: Context, path: str) -> bytes:
        """Return one of the written files."""
        end = self.record.end
        if path == BILL and self.record.bill is not None:
            return bill_csv(self.record.bill).encode()
        if path == REPORT_MD and isinstance(end, RunSucceeded):
            return report_md(self.record.request, end).encode()
        fields = LargeFields(context.artifacts)
        events = [await fields.restore(event) for event in self.record.events]
        return (await report_html(events, context.artifacts)).encode()

    async def zipped(self, context: Context) -> AsyncIterator[bytes]:
        """Yield a zip of all files in a folder of the run's name; one file at a time is in memory.

        What the store has lost is named in a file of the zip: the rest is worth having.
        """
        lost: list[str] = []
        packed = _Packed()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in (*self.written, *self.stored):
                try:
                    data = await self._content(context, path)
                except ArtifactError as error:
                    lost.append(f"{path}: {error}\n")
                    continue
                await asyncio.to_thread(archive.writestr, f"{self.name}/{path}", data)
                yield packed.take()
            if lost:
                archive.writestr(f"{self.name}/{LOST}", "".join(lost))
        yield packed.take()

    async def _content(self, context: Context, path: str) -> bytes:
        return await (context.artifacts.get(self.stored[path]) if path in self.stored else self.write(context, path))


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


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub("_", text).strip("._") or "file"
