"""A session on the host's side: a workspace and the kernel that runs cells in it."""

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from contracts.cell_limits import MAX_TOOL_CALLS
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellRequested
from contracts.models.observation import CellError, Observation, Variable
from contracts.text import shortened, storable
from documents.completeness import JOURNAL
from documents.journal import Journal
from documents.parser import DocumentError
from documents.run_journal import with_entry
from pydantic import BaseModel
from sandbox.channels.channel import ChannelBrokenError, InvalidMessageError
from sandbox.channels.image_channel import SentImage
from sandbox.cpu_time import TimeBudget, TimeLimitError
from sandbox.host import cause_of_death
from sandbox.zygote.client import ConfinedChild

from kernel_host.kernel_kind import KernelKind
from kernel_host.protocol import PROOF_CHARS, CellDone, KernelCall, RejectedCall, RunCell, SessionReady
from kernel_host.sessions.document_checks import restore_documents, well_formed_documents
from kernel_host.sessions.workspace import FileProblem, Workspace

START_S = 60.0
"""CPU time of a kernel's start."""
EMPTY_JOURNAL = Journal().markdown()
GRACE_S = 2.0
"""CPU time in which an interrupted cell must end, or its kernel is killed."""

_TOO_MANY_CALLS = RejectedCall(problem=f"this cell has asked {MAX_TOOL_CALLS} times already; go on in another cell")

_log = logging.getLogger(__name__)

Answer = Callable[[KernelCall, int], Awaitable[BaseModel]]
"""Answers a tool call of a cell; the number is its position among the calls of the cell, from 0."""


def observation_of(done: CellDone, printed: tuple[str, int], elapsed_s: float) -> Observation:
    """Return the observation of a cell that has ended; `printed` is the shown text and the true length."""
    report = done.report
    output, chars = printed
    if done.late_chars:
        output += f"\n… ({done.late_chars} characters that threads of earlier cells printed are left out)\n"
    status = "refused" if report.refused else "error" if report.error is not None else "ok"
    return Observation(
        status=status,
        output=output,
        output_chars=chars,
        error=None if report.error is None else _storable_error(report.error),
        variables=tuple(_storable_variable(each) for each in report.variables),
        variables_left_out=report.variables_left_out,
        elapsed_s=elapsed_s,
    )


def interrupted(observation: Observation, limit: TimeLimitError) -> Observation:
    """Return the observation of a cell that was interrupted at its time limit, with the line that it had reached."""
    message = f"the cell was interrupted after {limit}; variables are kept. Make it shorter, or split it."
    reached = observation.error or CellError(type="", message="")
    error = CellError(type="CellTimeout", message=message, line=reached.line, traceback=reached.traceback)
    return observation.model_copy(update={"status": "timeout", "error": error})


def _storable_error(error: CellError) -> CellError:
    return CellError(
        type=shortened(storable(error.type), 100),
        message=shortened(storable(error.message), 2000),
        line=error.line,
        traceback=shortened(storable(error.traceback), 2000, 2000),
    )


def _storable_variable(variable: Variable) -> Variable:
    return Variable(
        name=shortened(storable(variable.name), 100),
        type=shortened(storable(variable.type), 100),
        summary=shortened(storable(variable.summary), 200),
        change=variable.change,
        fingerprint=shortened(storable(variable.fingerprint), 64),
    )


class KernelStartError(RuntimeError):
    """A kernel did not start; the message ends with its output."""


@dataclass(frozen=True)
class Cell:
    """Code to run."""

    code: str
    name: str
    seed: int
    timeout_s: float
    """CPU time."""

    @classmethod
    def of(cls, request: CellRequested, timeout_s: float | None = None) -> "Cell":
        """Return the cell of a request, with the same name and seed whenever it runs; with another limit if given."""
        name = f"cell {str(request.id)[:8]}"
        return cls(request.code, name, request.id.int % 2**32, timeout_s or request.timeout_s)


@dataclass(frozen=True)
class CellOutcome:
    """The outcome of a cell. Except for the status, everything in it is what an untrusted kernel sent."""

    observation: Observation
    done: CellDone | None = None
    """The kernel's last message of a cell that was neither interrupted nor killed."""
    images: tuple[SentImage, ...] = ()
    images_left_out: int = 0
    full_output: str | None = None
    """The printed text, if the observation leaves something of it out."""

    @property
    def refusal(self) -> str | None:
        """The proof with which the agent refuses its task."""
        refusal = None if self.done is None else self.done.refusal
        return None if refusal is None else shortened(storable(refusal), PROOF_CHARS)

    @property
    def submitted(self) -> object:
        """What the agent submits in a kernel whose last message can; the host of that kind knows what it is."""
        return getattr(self.done, "submitted", None)


class Session:
    """Runs cells one after another; when the kernel dies, the next one starts empty on the same files."""

    def __init__(
        self,
        workspace: Workspace,
        kind: KernelKind,
        order: BaseModel,
        fork: Callable[[Workspace], Awaitable[ConfinedChild]],
    ) -> None:
        """`order` is the first message to each kernel; `fork` returns a new kernel of this kind in the workspace."""
        self._fork = fork
        self.workspace = workspace
        self.kind = kind
        self.order = order
        self._kernel: ConfinedChild | None = None
        self._ending = asyncio.Event()
        self._documents: dict[str, str] = {}
        """The last well-formed versions: a late thread may spoil a document after its cell, and before the next."""
        self._busy = asyncio.Lock()
        self.ready = SessionReady()
        """The first message of the present kernel."""

    async def open(self) -> None:
        """Start the kernel; raise `KernelStartError`."""
        kernel = self._kernel = await self._fork(self.workspace)
        try:
            budget = TimeBudget(kernel.pid, START_S)
            await budget.during(kernel.channel.send(self.order))
            ready = await budget.during(self.kind.receive(kernel.channel))
            if not isinstance(ready, SessionReady):
                raise InvalidMessageError("the child sent another message before it was ready")
        except (TimeLimitError, ChannelBrokenError) as error:
            output, _ = kernel.printed.shown()
            code = await self._drop_kernel()
            raise KernelStartError(f"the kernel did not start (exit code {code}): {output.strip()}") from error
        self.ready = ready

    @property
    def pid(self) -> int | None:
        """The kernel's process, if there is one."""
        return None if self._kernel is None else self._kernel.pid

    @property
    def is_ending(self) -> bool:
        """Whether no further kernel is started."""
        return self._ending.is_set()

    async def revive(self) -> bool:
        """Start a kernel if none is alive; return whether one was started. Raises `KernelStartError`."""
        async with self._busy:
            kernel = self._kernel
            if self.is_ending or (kernel is not None and not kernel.exited.done()):
                return False
            if kernel is not None:
                await self._drop_kernel()
            await self.open()
            return True

    async def restart(
        self, order: BaseModel, read_only: Mapping[str, bytes], writable: Mapping[str, str] | None
    ) -> None:
        """Start a new kernel with another order and only these files; raise `KernelStartError`."""
        async with self._busy:
            if self._kernel is not None:
                await self._drop_kernel()
            self.order = order
            await asyncio.to_thread(self.workspace.fill, read_only, writable)
            await self.open()

    def end(self) -> None:
        """Kill the kernel, so that a running cell ends now, and start no other. `close` must follow."""
        self._ending.set()
        if self._kernel is not None:
            self._kernel.signal(signal.SIGKILL)

    async def close(self) -> None:
        """End the kernel and remove the workspace."""
        self.end()
        async with self._busy:
            if self._kernel is not None:
                await self._drop_kernel()
        await asyncio.to_thread(self.workspace.location.remove)

    async def settle_documents(self) -> None:
        """Restore documents that a thread spoilt after its cell: what is written next starts from valid ones."""
        async with self._busy:
            remarks = await asyncio.to_thread(restore_documents, self.workspace, self._documents)
            self._documents |= await asyncio.to_thread(well_formed_documents, self.workspace)
        for remark in remarks:
            _log.warning("between two cells: %s", remark)

    async def accept_documents(self) -> None:
        """Take the documents as they are, after the host itself has replaced them."""
        self._documents = await asyncio.to_thread(well_formed_documents, self.workspace)

    async def add_journal_entry(self, added: JournalEntryAdded) -> None:
        """Add an entry to journal.md, unless it has it already."""
        async with self._busy:
            await asyncio.to_thread(self._add_journal_entry, added)

    def _add_journal_entry(self, added: JournalEntryAdded) -> None:
        before = self.workspace.read(JOURNAL)
        try:
            text = with_entry(before if isinstance(before, str) else EMPTY_JOURNAL, added)
        except DocumentError as error:  # only in files that an older version wrote
            _log.warning("journal.md keeps no entry %s: %s", added.id, error)
            return
        written = self.workspace.write(JOURNAL, text)
        if isinstance(written, FileProblem):
            _log.warning("journal.md keeps no entry %s: %s", added.id, written.detail)
        else:
            self._documents[JOURNAL] = text

    async def run(self, cell: Cell, answer: Answer) -> CellOutcome:
        """Run one cell until it ends, reaches its limit or its kernel dies, and restore the documents that it spoilt.

        Tool calls do not count as its time. The kernel is killed if this raises: one whose tool call raised waits for
        an answer, and would take the next cell for that.
        """
        async with self._busy:
            try:
                self._documents |= await asyncio.to_thread(well_formed_documents, self.workspace)
                outcome = await self._run(cell, answer)
                remarks = await asyncio.to_thread(restore_documents, self.workspace, self._documents)
                observation = outcome.observation.model_copy(update={"put_back": remarks})
                return replace(outcome, observation=observation)
            except BaseException:
                if self._kernel is not None:
                    await self._drop_kernel()
                raise

    async def _run(self, cell: Cell, answer: Answer) -> CellOutcome:
        if self._kernel is None:
            await self.open()
        kernel = self._kernel
        assert kernel is not None
        kernel.printed.reset()
        kernel.images.begin(cell.name)
        started = time.monotonic()
        limit: TimeLimitError | None = None
        try:
            try:
                done = await self._converse(kernel, cell, answer)
            except TimeLimitError as error:
                limit = error
                done = await self._interrupt(kernel)
            images = kernel.images.images()
        except (TimeLimitError, ChannelBrokenError) as error:
            return await self._killed(kernel, cell, error, time.monotonic() - started)
        observation = observation_of(done, kernel.printed.shown(), time.monotonic() - started)
        full, left_out = kernel.printed.full_text(), kernel.images.left_out
        if limit is not None:
            observation = interrupted(observation, limit)
            return CellOutcome(observation, images=images, images_left_out=left_out, full_output=full)
        return CellOutcome(observation, done, images, left_out, full)

    async def _killed(self, kernel: ConfinedChild, cell: Cell, problem: Exception, elapsed_s: float) -> CellOutcome:
        code = await self._drop_kernel()
        full = kernel.printed.full_text()
        output, chars = kernel.printed.shown()
        if not self._ending.is_set():
            await self.open()
        if kernel.killed_for is not None:
            why = f"{kernel.killed_for}; files that cells wrote are removed"
        elif isinstance(problem, TimeLimitError):
            why = f"it did not stop within {cell.timeout_s:g} s"
        else:
            why = str(problem) if isinstance(problem, InvalidMessageError) else cause_of_death(code)
        error = CellError(type="KernelKilled", message=f"the kernel is gone: {why}. Another one was started.")
        observation = Observation(status="killed", output=output, output_chars=chars, error=error, elapsed_s=elapsed_s)
        return CellOutcome(observation, full_output=full)

    async def _converse(self, kernel: ConfinedChild, cell: Cell, answer: Answer) -> CellDone:
        """Run the cell and answer its tool calls; raise `TimeLimitError` when its own time is over."""
        budget = TimeBudget(kernel.pid, cell.timeout_s)
        ordinal = 0
        message: BaseModel = RunCell(code=storable(cell.code), name=cell.name, seed=cell.seed)
        while True:
            await budget.during(kernel.channel.send(message))
            received = await budget.during(self.kind.receive(kernel.channel))
            if isinstance(received, CellDone):
                return received
            if isinstance(received, SessionReady):
                raise ChannelBrokenError("the kernel reported ready in the middle of a cell")
            is_allowed = ordinal < MAX_TOOL_CALLS
            message = await self._until_end(answer(received, ordinal)) if is_allowed else _TOO_MANY_CALLS
            ordinal += 1

    async def _interrupt(self, kernel: ConfinedChild) -> CellDone:
        """Interrupt the running cell; raise `TimeLimitError` when it does not end."""
        kernel.signal(signal.SIGINT)
        budget = TimeBudget(kernel.pid, GRACE_S)
        while True:
            received = await budget.during(self.kind.receive(kernel.channel))
            if isinstance(received, CellDone):
                return received

    async def _until_end(self, answering: Awaitable[BaseModel]) -> BaseModel:
        """Wait for the answer to a tool call, but not beyond the end of the session."""
        tool = asyncio.ensure_future(answering)
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait({tool, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not tool.done():
                raise ChannelBrokenError("the session ended during a tool call")
            return tool.result()
        finally:
            tool.cancel()
            ending.cancel()
            await asyncio.gather(tool, ending, return_exceptions=True)

    async def _drop_kernel(self) -> int:
        """Close the kernel and return its exit code."""
        kernel, self._kernel = self._kernel, None
        assert kernel is not None
        code = await kernel.close()
        if kernel.killed_for is not None:
            await asyncio.to_thread(self.workspace.remove_unplaced)
        return code
