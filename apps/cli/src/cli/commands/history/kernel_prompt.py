"""The prompt of `millwright replay RUN --at-cell N`: a kernel as a recorded cell left it."""

import asyncio
import sys
from codeop import compile_command
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from agent.journal.entries import visible
from artifacts.port import ArtifactStore
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from contracts.envelope import Event, Role
from contracts.models.observation import Observation
from contracts.text import counted
from documents.workspaces.archive import InvalidWorkspaceError
from kernel_host.session_manager.recorded_sessions import NoSessionError, RebuiltSession, rebuild_session
from kernel_host.sessions.session import KernelStartError
from local_stack.errors import UserError
from local_stack.settings import CliSettings
from rich.console import Console
from rich.text import Text
from run_requests.continuation import until_cell

from cli.certification.world_checks import opened_host
from cli.entry import FAILED, OK
from cli.log_access import open_history, read_run
from cli.screen import print_mark

PROMPT, MORE = ">>> ", "... "


@dataclass(frozen=True)
class RecordedKernel:
    """A role's kernel as it was after its cell of this number, counted from 1."""

    run_id: UUID
    role: Role
    cell: int


async def open_prompt(kernel: RecordedKernel, code: str | None, settings: CliSettings, console: Console) -> int:
    """Rebuild a kernel, and evaluate `code` in it, or what is typed."""
    async with open_history(settings) as history:
        events = until_cell(await read_run(kernel.run_id, history), kernel.role, kernel.cell)
        async with opened_host() as host, _rebuilt(events, kernel, host, history.artifacts) as rebuilt:
            print_rebuilt(console, rebuilt, kernel)
            works = await _evaluate(rebuilt, code, console)
    return OK if works and rebuilt.is_as_recorded else FAILED


@asynccontextmanager
async def _rebuilt(
    events: Sequence[Event], kernel: RecordedKernel, host: KernelHost, artifacts: ArtifactStore
) -> AsyncGenerator[RebuiltSession]:
    try:
        rebuilt = await rebuild_session(events, kernel.role, WorkerKernels(host, artifacts), artifacts)
    except (NoSessionError, KernelStartError, InvalidWorkspaceError) as error:
        raise UserError(f"the kernel cannot be rebuilt: {error}") from error
    try:
        yield rebuilt
    finally:
        await rebuilt.session.close()


def print_rebuilt(console: Console, rebuilt: RebuiltSession, kernel: RecordedKernel) -> None:
    """Print whether the kernel is as it was, and what differs."""
    recovery = rebuilt.recovery
    kept = counted(len(recovery.restored), "variable")
    ran = f"{counted(recovery.replayed_cells, 'cell')} ran again in {recovery.elapsed_s:.1f} s"
    severity = "success" if rebuilt.is_as_recorded else "failure"
    print_mark(console, severity, f"kernel of the {kernel.role} after cell {kernel.cell}: {ran}, {kept} as recorded")
    for what, names in (("different", recovery.different), ("lost", recovery.lost)):
        if names:
            print_mark(console, "failure", f"{what}: {', '.join(names)}")
    for each in rebuilt.different_outputs:
        print_mark(console, "failure", f"cell {each} printed something else")
    for remark in recovery.remarks:
        print_mark(console, "failure", remark)


async def _evaluate(rebuilt: RebuiltSession, code: str | None, console: Console) -> bool:
    """Evaluate everything; return whether the last of it worked."""
    works = True
    if code is None and sys.stdin.isatty():
        console.print("Names of the kernel can be used; nothing is recorded. Ctrl-D ends.")
        typed = _typed()
        while (each := await asyncio.to_thread(next, typed, None)) is not None:
            works = _print(await rebuilt.evaluate(each), console)
        return works
    given = code if code is not None else await asyncio.to_thread(sys.stdin.read)
    return _print(await rebuilt.evaluate(given), console) if given.strip() else works


def _typed() -> Iterator[str]:
    """Yield each complete statement that is typed, until the end of the input."""
    lines: list[str] = []
    while True:
        try:
            lines.append(input(MORE if lines else PROMPT))
        except EOFError:
            return
        code = "\n".join(lines)
        if not _is_incomplete(code):
            lines = []
            if code.strip():
                yield code


def _is_incomplete(code: str) -> bool:
    try:
        return compile_command(code) is None
    except (SyntaxError, ValueError, OverflowError):  # the kernel explains it
        return False


def _print(seen: Observation, console: Console) -> bool:
    """Print what code in the kernel printed, and its error; return whether it had none."""
    if seen.output:
        console.print(Text(visible(seen.output)), end="", soft_wrap=True)
    if seen.error is not None:
        text = seen.error.traceback or f"{seen.error.type}: {seen.error.message}"
        console.print(Text(visible(text.rstrip("\n")), style="red"), soft_wrap=True)
    return seen.error is None
