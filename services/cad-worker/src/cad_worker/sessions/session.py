"""A workspace and the kernel that lives in it, seen from the host."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from contracts.models.observation import CellError, Observation
from contracts.text import shortened, storable
from pydantic import BaseModel
from sandbox.channels.channel import ChannelBrokenError
from sandbox.channels.image_channel import ImagesBrokenError, SentImage
from sandbox.zygote.client import ConfinedChild

from cad_worker.job_protocol import DesignData
from cad_worker.session_protocol import (
    PROOF_CHARS,
    CellDone,
    KernelCall,
    KernelMessage,
    QuoteAnswer,
    QuoteCall,
    RunCell,
    SessionOrder,
    SessionReady,
    SimulationAnswer,
)
from cad_worker.sessions.document_checks import restore_documents, well_formed_documents
from cad_worker.sessions.observations import death, interrupted, observation_of
from cad_worker.sessions.workspace import Workspace

START_S = 60.0
GRACE_S = 2.0
"""How long an interrupted cell may take to give in before its kernel is killed."""
MAX_TOOL_CALLS = 200
"""Of one cell: their time is not the cell's, so nothing else would end a loop of them."""

Answer = Callable[[KernelCall, int], Awaitable[BaseModel]]
"""Serves one tool call of a cell; the number is its place among the calls of the cell, from 0."""


class KernelStartError(RuntimeError):
    """A kernel did not come up; the message has its last words."""


@dataclass(frozen=True)
class Cell:
    """Code to run."""

    code: str
    name: str
    seed: int
    timeout_s: float


@dataclass(frozen=True)
class CellOutcome:
    """What became of a cell. All but the status is what the kernel says."""

    observation: Observation
    submitted: DesignData | None = None
    environment: DesignData | None = None
    refusal: str | None = None
    images: tuple[SentImage, ...] = ()
    """What the kernel sent; it may be anything but an image."""
    images_left_out: int = 0
    full_output: str | None = None
    """What was printed, if the observation leaves something of it out."""


class Session:
    """Runs cells one after another; when the kernel dies, the next one starts empty on the same files."""

    def __init__(
        self, workspace: Workspace, order: SessionOrder, fork: Callable[[Workspace], Awaitable[ConfinedChild]]
    ) -> None:
        """`fork` returns a new kernel in the workspace."""
        self._fork = fork
        self.workspace = workspace
        self.order = order
        self._kernel: ConfinedChild | None = None
        self._ending = asyncio.Event()
        self._documents: dict[str, str] = {}
        """The last that kept their form; what a thread of an old cell spoils is put back after the next."""
        self._busy = asyncio.Lock()
        self.environment_at_start: DesignData | None = None

    async def open(self) -> None:
        """Start the kernel; raise `KernelStartError` with its last words."""
        kernel = self._kernel = await self._fork(self.workspace)
        try:
            async with asyncio.timeout(START_S):
                await kernel.channel.send(self.order)
                ready = await kernel.channel.receive(SessionReady)
        except (TimeoutError, ChannelBrokenError) as error:
            words, _ = kernel.printed.shown()
            code = await self._drop_kernel()
            raise KernelStartError(f"the kernel did not start (exit code {code}): {words.strip()}") from error
        self.environment_at_start = ready.environment

    @property
    def pid(self) -> int | None:
        """The process of the kernel, if there is one."""
        return None if self._kernel is None else self._kernel.pid

    @property
    def is_ending(self) -> bool:
        """Whether no kernel is started any more."""
        return self._ending.is_set()

    async def revive(self) -> bool:
        """Start a kernel if none lives; return whether that was so. Raises `KernelStartError`."""
        async with self._busy:
            kernel = self._kernel
            if self.is_ending or (kernel is not None and not kernel.exited.done()):
                return False
            if kernel is not None:
                await self._drop_kernel()
            await self.open()
            return True

    async def restart(self, order: SessionOrder, read_only: Mapping[str, bytes]) -> None:
        """Go on with another order in a new kernel, with these files alone; raise `KernelStartError`."""
        async with self._busy:
            if self._kernel is not None:
                await self._drop_kernel()
            self.order = order
            await asyncio.to_thread(self.workspace.lay_out, read_only, None)
            await self.open()

    def end(self) -> None:
        """Kill the kernel, so that a running cell comes to its end now; no other is started. `close` must follow."""
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

    async def run(self, cell: Cell, answer: Answer) -> CellOutcome:
        """Run one cell to its end, its limit or its kernel's death. Waiting for tools does not count as its time.

        Documents that it spoilt are put back. Cancelled, it leaves no kernel behind that is still at the cell.
        """
        async with self._busy:
            try:
                self._documents |= await asyncio.to_thread(well_formed_documents, self.workspace)
                outcome = await self._run(cell, answer)
                remarks = await asyncio.to_thread(restore_documents, self.workspace, self._documents)
                observation = outcome.observation.model_copy(update={"put_back": remarks})
                return replace(outcome, observation=observation)
            except asyncio.CancelledError:
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
        stopped = False
        try:
            try:
                done = await self._converse(kernel, cell, answer)
            except TimeoutError:
                stopped = True
                done = await _interrupt(kernel)
            images = kernel.images.images()
        except (TimeoutError, ChannelBrokenError) as error:
            return await self._killed(kernel, cell, error, time.monotonic() - started)
        whole = kernel.printed.full_text
        observation = observation_of(done, kernel.printed.shown(), time.monotonic() - started)
        left_out = kernel.images.left_out
        if stopped:
            return CellOutcome(
                interrupted(observation, cell.timeout_s), images=images, images_left_out=left_out, full_output=whole()
            )
        refusal = None if done.refusal is None else shortened(storable(done.refusal), PROOF_CHARS)
        return CellOutcome(observation, done.submitted, done.environment, refusal, images, left_out, whole())

    async def _killed(self, kernel: ConfinedChild, cell: Cell, problem: Exception, elapsed_s: float) -> CellOutcome:
        code = await self._drop_kernel()
        whole = kernel.printed.full_text()
        output, chars = kernel.printed.shown()
        if not self._ending.is_set():
            await self.open()
        why = kernel.killed_for or _why(problem, code, cell)
        removed = "; files that cells wrote are removed" if kernel.killed_for else ""
        message = f"the kernel is gone: {why}{removed}. Another one was started."
        error = CellError(type="KernelKilled", message=message)
        observation = Observation(status="killed", output=output, output_chars=chars, error=error, elapsed_s=elapsed_s)
        return CellOutcome(observation, full_output=whole)

    async def _converse(self, kernel: ConfinedChild, cell: Cell, answer: Answer) -> CellDone:
        """Run the cell and serve its tools; raise `TimeoutError` when its own time is over."""
        left_s = cell.timeout_s
        ordinal = 0
        message: BaseModel = RunCell(code=storable(cell.code), name=cell.name, seed=cell.seed)
        while True:
            before = time.monotonic()
            async with asyncio.timeout(left_s):
                await kernel.channel.send(message)
                said = (await kernel.channel.receive(KernelMessage)).root
            left_s -= time.monotonic() - before
            if isinstance(said, CellDone):
                return said
            if isinstance(said, SessionReady):
                raise ChannelBrokenError("the kernel claims to begin anew")
            message = _refused(said) if ordinal >= MAX_TOOL_CALLS else await self._served(answer(said, ordinal))
            ordinal += 1

    async def _served(self, answering: Awaitable[BaseModel]) -> BaseModel:
        """Wait for a tool, but not beyond the end of the session."""
        tool = asyncio.ensure_future(answering)
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait({tool, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not tool.done():
                raise ChannelBrokenError("the session ended while a tool was at work")
            return tool.result()
        finally:
            tool.cancel()
            ending.cancel()
            await asyncio.gather(tool, ending, return_exceptions=True)

    async def _drop_kernel(self) -> int:
        kernel, self._kernel = self._kernel, None
        assert kernel is not None
        code = await kernel.close()
        if kernel.killed_for is not None:
            await asyncio.to_thread(self.workspace.remove_unplaced)
        return code


def _why(problem: Exception, code: int, cell: Cell) -> str:
    if isinstance(problem, TimeoutError):
        return f"it did not stop within {cell.timeout_s:g} s"
    return str(problem) if isinstance(problem, ImagesBrokenError) else death(code)


def _refused(wanted: KernelCall) -> BaseModel:
    problem = f"this cell has asked {MAX_TOOL_CALLS} times already; go on in another cell"
    return QuoteAnswer(problem=problem) if isinstance(wanted, QuoteCall) else SimulationAnswer(problem=problem)


async def _interrupt(kernel: ConfinedChild) -> CellDone:
    """Ask the cell to stop; raise `TimeoutError` when it does not."""
    kernel.signal(signal.SIGINT)
    async with asyncio.timeout(GRACE_S):
        while True:
            said = (await kernel.channel.receive(KernelMessage)).root
            if isinstance(said, CellDone):
                return said
