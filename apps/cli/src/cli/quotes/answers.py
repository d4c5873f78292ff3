"""Answers about files of parts: each file is read and judged in a confined process of its own, within limits."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from cad_worker.job_protocol import (
    QUOTE_FILE,
    RUN_PART_SCRIPT,
    DesignData,
    FileQuoteRequest,
    FileQuoteResult,
    PartScript,
)
from contracts.quotes import FileQuote, QuoteChoice
from contracts.settings import COMMAND
from local_stack.errors import UserError
from sandbox.host import SandboxHost, job_programs
from sandbox.jobs import JobFailedError
from sandbox.zygote.client import SandboxUnavailableError

CPU_S = 60.0
"""Of one file."""
WALL_S = 240.0
"""Of one file, for those that only wait."""
MAX_FILE_BYTES = 40 << 20
"""What crosses to a process; packed files may unpack to more there."""
SCRIPT = ".py"

Answered = Callable[[FileQuoteResult], None]


@asynccontextmanager
async def opened_quote_host() -> AsyncGenerator[SandboxHost]:
    """Yield a host of confined processes that quote; raise `UserError` when this machine permits none."""
    host = SandboxHost(job_programs([QUOTE_FILE, RUN_PART_SCRIPT]))
    try:
        await host.start()
        yield host
    except SandboxUnavailableError as error:
        raise UserError(f"no file can be read on this machine: {error}; see `{COMMAND} doctor`") from error
    finally:
        await host.stop()


async def quote_files(
    files: Sequence[Path], choice: QuoteChoice, *, has_view: bool, answered: Answered
) -> list[FileQuoteResult]:
    """Return the answer about each file, in their order; `answered` is called with each as it comes."""
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def quoted(host: SandboxHost, file: Path) -> FileQuoteResult:
        async with slots:
            result = await quote_one(host, file, choice, has_view=has_view)
        answered(result)
        return result

    async with opened_quote_host() as host:
        return await asyncio.gather(*(quoted(host, file) for file in files))


async def quote_one(host: SandboxHost, file: Path, choice: QuoteChoice, *, has_view: bool) -> FileQuoteResult:
    """Return the answer about one file, whatever it is and does."""
    try:
        data = await asyncio.to_thread(_read, file)
    except OSError as error:
        return _unusable(file, f"cannot be read: {error.strerror or error}", "unreadable")
    if len(data) > MAX_FILE_BYTES:
        return _unusable(file, f"is larger than {MAX_FILE_BYTES >> 20} MiB; quote a part of it", "too_large")
    request = FileQuoteRequest(file=str(file), name=file.stem, choice=choice, data=data, has_view=has_view)
    asking = _quote_script if file.suffix.lower() == SCRIPT else _quote_data
    try:
        async with asyncio.timeout(WALL_S):
            return await asking(host, file, request)
    except TimeoutError:
        return _unusable(file, f"was given up: it took more than {WALL_S:g} s", "time_limit")
    except JobFailedError as error:
        if error.excess:
            return _unusable(file, f"was given up: {error.excess}; simplify or split it", "time_limit")
        return _unusable(file, "could not be judged: the CAD library failed on it; rebuild and export it", "failed")


async def _quote_data(host: SandboxHost, _file: Path, request: FileQuoteRequest) -> FileQuoteResult:
    return await host.run_job(QUOTE_FILE, request, cpu_s=CPU_S)


async def _quote_script(host: SandboxHost, file: Path, request: FileQuoteRequest) -> FileQuoteResult:
    """Run the script in one process, and quote what it built in another, which never ran it."""
    try:
        code = request.data.decode()
    except UnicodeDecodeError:
        return _unusable(file, "is not text in UTF-8, as scripts are", "script_failed")
    script = PartScript(code=code, file=file.name)
    try:
        made = await host.run_job(RUN_PART_SCRIPT, script, cpu_s=CPU_S)
    except JobFailedError as error:
        reason = f"was given up: {error.excess}" if error.excess else "ended without a result"
        return _unusable(file, reason, "time_limit" if error.excess else "script_failed")
    if made.design is None:
        return _unusable(file, made.problem, "script_failed")
    design: DesignData = made.design
    return await host.run_job(QUOTE_FILE, request.model_copy(update={"data": b"", "design": design}), cpu_s=CPU_S)


def _read(file: Path) -> bytes:
    """Return at most one byte more than is allowed: a device or a huge file must not fill the memory."""
    if not file.is_file():
        raise OSError(f"{'a folder' if file.is_dir() else 'no such file'}")
    with file.open("rb") as opened:
        return opened.read(MAX_FILE_BYTES + 1)


def _unusable(file: Path, problem: str, kind: str) -> FileQuoteResult:
    quote = FileQuote(file=str(file), verdict="unusable", problem=problem, problem_kind=kind)
    return FileQuoteResult(quote=quote)
