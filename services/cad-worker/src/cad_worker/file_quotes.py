"""Quotes of files: each file is read and judged in a confined process of its own, within limits."""

import asyncio
from pathlib import PurePath

from contracts.quotes import FileQuote, QuoteChoice
from pydantic import BaseModel
from sandbox.host import SandboxHost
from sandbox.jobs import JobFailedError

from cad_worker.job_protocol import QUOTE_FILE, RUN_PART_SCRIPT, FileQuoteRequest, FileQuoteResult, PartScript

CPU_S = 60.0
"""Of one file."""
WALL_S = 240.0
"""Of one file, for those that only wait."""
MAX_FILE_BYTES = 40 << 20
"""What crosses to a process; packed files may unpack to more there."""
SCRIPT = ".py"


class QuotedFile(BaseModel):
    """A file whose parts are to be quoted."""

    name: str
    """As the user calls it; its suffix tells scripts from data."""
    data: bytes


async def quote_file(host: SandboxHost, file: QuotedFile, choice: QuoteChoice, *, has_view: bool) -> FileQuoteResult:
    """Return the answer about one file, whatever it is and does."""
    if len(file.data) > MAX_FILE_BYTES:
        return unusable(file.name, f"is larger than {MAX_FILE_BYTES >> 20} MiB; quote a part of it", "too_large")
    path = PurePath(file.name)
    request = FileQuoteRequest(file=file.name, name=path.stem, choice=choice, data=file.data, has_view=has_view)
    asking = _quote_script if path.suffix.lower() == SCRIPT else _quote_data
    try:
        async with asyncio.timeout(WALL_S):
            return await asking(host, request)
    except TimeoutError:
        return unusable(file.name, f"was given up: it took more than {WALL_S:g} s", "time_limit")
    except JobFailedError as error:
        if error.excess:
            return unusable(file.name, f"was given up: {error.excess}; simplify or split it", "time_limit")
        return unusable(file.name, "could not be judged: the CAD library failed on it; rebuild and export it", "failed")


async def _quote_data(host: SandboxHost, request: FileQuoteRequest) -> FileQuoteResult:
    return await host.run_job(QUOTE_FILE, request, cpu_s=CPU_S)


async def _quote_script(host: SandboxHost, request: FileQuoteRequest) -> FileQuoteResult:
    """Run the script in one process, and quote what it built in another, which never ran it."""
    try:
        code = request.data.decode()
    except UnicodeDecodeError:
        return unusable(request.file, "is not text in UTF-8, as scripts are", "script_failed")
    script = PartScript(code=code, file=PurePath(request.file).name)
    try:
        made = await host.run_job(RUN_PART_SCRIPT, script, cpu_s=CPU_S)
    except JobFailedError as error:
        reason = f"was given up: {error.excess}" if error.excess else "ended without a result"
        return unusable(request.file, reason, "time_limit" if error.excess else "script_failed")
    if made.design is None:
        return unusable(request.file, made.problem, "script_failed")
    built = request.model_copy(update={"data": b"", "design": made.design})
    return await host.run_job(QUOTE_FILE, built, cpu_s=CPU_S)


def unusable(name: str, problem: str, kind: str) -> FileQuoteResult:
    """Return the answer about a file in which nothing can be judged."""
    quote = FileQuote(file=name, verdict="unusable", problem=problem, problem_kind=kind)
    return FileQuoteResult(quote=quote)
