"""Answers about files of parts on disk, with as many processes as there are cores."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from cad_worker.file_quotes import MAX_FILE_BYTES, QuotedFile, quote_file, unusable
from cad_worker.job_protocol import QUOTE_FILE, RUN_PART_SCRIPT, FileQuoteResult
from contracts.quotes import QuoteChoice
from sandbox.host import SandboxHost, job_programs

from cli.sandboxes import started

Answered = Callable[[FileQuoteResult], None]


async def quote_files(
    files: Sequence[Path], choice: QuoteChoice, *, has_view: bool, answered: Answered
) -> list[FileQuoteResult]:
    """Return the answer about each file, in their order; `answered` is called with each as it comes."""
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def quoted(host: SandboxHost, file: Path) -> FileQuoteResult:
        async with slots:
            result = await quote_path(host, file, choice, has_view=has_view)
        answered(result)
        return result

    jobs = SandboxHost(job_programs([QUOTE_FILE, RUN_PART_SCRIPT]))
    async with started(jobs, "no file can be read") as host:
        return await asyncio.gather(*(quoted(host, file) for file in files))


async def quote_path(host: SandboxHost, file: Path, choice: QuoteChoice, *, has_view: bool) -> FileQuoteResult:
    """Return the answer about one file on disk."""
    try:
        data = await asyncio.to_thread(_read, file)
    except OSError as error:
        return unusable(str(file), f"cannot be read: {error.strerror or error}", "unreadable")
    return await quote_file(host, QuotedFile(name=str(file), data=data), choice, has_view=has_view)


def _read(file: Path) -> bytes:
    """Return at most one byte more than is allowed: a device or a huge file must not fill the memory."""
    if not file.is_file():
        raise OSError(f"{'a folder' if file.is_dir() else 'no such file'}")
    with file.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES + 1)
