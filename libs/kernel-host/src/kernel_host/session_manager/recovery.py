"""Recovery of a session whose worker or kernel was lost: a replay in a new kernel, reported to the agent."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from contracts.envelope import Role
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Observation, Recovery
from documents.completeness import JOURNAL

from kernel_host.kernels import Kernels, ReadLog
from kernel_host.session_manager.session_reopener import reopen
from kernel_host.sessions.session import Cell, Session
from kernel_host.sessions.session_history import (
    CompletedCell,
    JournalAddition,
    NotedEntry,
    Reopened,
    SessionHistory,
    WrittenFile,
    session_history,
    update_fingerprints,
)
from kernel_host.sessions.tool_replies import (
    STORE_RETRY_S,
    ToolReplay,
    ToolReplies,
    completed,
    load_replies,
)

WORKER_LOST = "the worker that held the session was lost"
EARLIER_RUN = "this run goes on from a cell of an earlier run"
KERNEL_LOST = "the kernel was lost between two cells"
KERNEL_KILLED = "this cell killed its kernel"

RunCell = Callable[[CellRequested], Awaitable[CellCompleted]]


MAX_REMARKS = 10
MAX_LISTED = 10
"""Lost files in a remark."""

_log = logging.getLogger(__name__)


@dataclass
class Replay:
    """One replay and its progress."""

    session: Session
    kernels: Kernels
    artifacts: ArtifactStore
    limit_s: float
    """For all cells together."""
    clock: Callable[[], float] = time.monotonic
    fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    """Of each variable now."""
    cells: int = 0
    """How many ran again."""
    remarks: list[str] = field(default_factory=list[str])
    different_outputs: list[int] = field(default_factory=list[int])
    """Numbers of the cells that printed something else."""
    is_broken_off: bool = False

    async def run(self, history: SessionHistory, why: str) -> Recovery:
        """Repeat the history; the result lists the variables that could not be restored."""
        began_s = self.clock()
        for step in history.steps:
            if isinstance(step, WrittenFile):
                self.session.workspace.write(step.path, step.text)
            elif isinstance(step, Reopened):
                await reopen(self.session, step.request, self.kernels)
            elif isinstance(step, NotedEntry):
                await self.session.add_journal_entry(step.added)
            elif isinstance(step, JournalAddition):
                self._write_journal(self._journal() + step.text)
            elif not self.is_broken_off:
                journal = self._journal()
                await self._run_cell(step, self.limit_s - (self.clock() - began_s))
                self._write_journal(journal)
        before, now = history.fingerprints, self.fingerprints
        same = {name for name, fingerprint in before.items() if now.get(name) == fingerprint}
        return Recovery(
            why=why,
            replayed_cells=self.cells,
            elapsed_s=self.clock() - began_s,
            files=history.files,
            restored=tuple(sorted(same)),
            different=tuple(sorted(before.keys() & now.keys() - same)),
            lost=tuple(sorted(before.keys() - now.keys())),
            remarks=tuple([*history.left_out, *self.remarks][:MAX_REMARKS]),
        )

    def _journal(self) -> str:
        text = self.session.workspace.read(JOURNAL)
        return text if isinstance(text, str) else ""

    def _write_journal(self, text: str) -> None:
        """Write journal.md as the log has it: what a repeated cell adds may differ from what it added then."""
        if text != self._journal():
            self.session.workspace.write(JOURNAL, text)

    async def _run_cell(self, step: CompletedCell, left_s: float) -> None:
        if left_s <= 0:
            self._break_off(step, f"the {self.limit_s:g} s for running cells again were over")
            return
        tools = ToolReplay(await self._replies(step))
        cell = Cell.of(step.request, min(step.request.timeout_s, left_s))
        place = self.session.workspace.replace_read_only
        answer = completed(tools.answer, self.session.kind.complete, self.artifacts, place)
        outcome = await self.session.run(cell, answer)
        seen, before = outcome.observation, step.completed.observation
        if seen.status == "killed":
            self.fingerprints.clear()
            self.cells = 0
            why = seen.error.message if seen.error is not None else "the kernel died"
            self._break_off(step, f"this time it took the kernel with it, and all variables: {why}")
            return
        self.cells += 1
        update_fingerprints(self.fingerprints, seen)
        if seen.output != before.output:
            self.different_outputs.append(step.number)
        if tools.divergence is not None:
            self._break_off(step, tools.divergence, after=True)
        elif seen.status == "timeout":
            self._break_off(step, "it did not end in time", after=True)
        elif _ending(seen) != _ending(before):
            self.remarks.append(
                f"cell {step.number} ended with {_ending(seen)}, where it had ended with {_ending(before)}"
            )

    async def _replies(self, step: CompletedCell) -> ToolReplies:
        """Wait for an unavailable store: a replay that stopped here would have to start over."""
        while True:
            try:
                return await load_replies(self.artifacts, step.completed.tool_replies)
            except ArtifactsUnavailableError as error:
                _log.warning("waiting for the tool replies of cell %s: %s", step.request.id, error)
            await asyncio.sleep(STORE_RETRY_S)

    def _break_off(self, step: CompletedCell, why: str, *, after: bool = False) -> None:
        """Run no further cell."""
        self.is_broken_off = True
        which = "after" if after else "from"
        self.remarks.append(f"no cell ran again {which} cell {step.number} on ({step.request.purpose}): {why}")


def _remark_on(left_out: Sequence[str]) -> tuple[str, ...]:
    if not left_out:
        return ()
    more = f" and {len(left_out) - MAX_LISTED} more" if len(left_out) > MAX_LISTED else ""
    return (f"files were lost, write them again if you need them: {'; '.join(left_out[:MAX_LISTED])}{more}",)


def _ending(seen: Observation) -> str:
    return seen.status if seen.error is None else seen.error.type


@dataclass
class SessionRecovery:
    """Runs the cells of one session, and replays the session whenever its kernel is lost."""

    session: Session
    kernels: Kernels
    role: Role
    run_cell: RunCell
    read_log: ReadLog
    artifacts: ArtifactStore
    limit_s: float
    """For running completed cells again."""
    unreported: Recovery | None = None
    """For the next observation."""

    def __post_init__(self) -> None:
        """Keep the agent's own files of the newly opened session."""
        self._initial_files = self.session.workspace.snapshot().files

    async def take_over(self) -> None:
        """Replay a session of another worker, with its files."""
        self.unreported = await self._replay(WORKER_LOST)

    async def go_on(self) -> None:
        """Replay the session of an earlier run, with its files."""
        recovery = await self._replay(EARLIER_RUN)
        self.unreported = recovery.model_copy(update={"is_fork": True})

    async def run(self, request: CellRequested, epoch: int) -> CellCompleted:
        """Run a cell under the lease of this epoch; a kernel lost before it or by it is replayed and reported."""
        if await self.session.revive():
            await self._replay_in_new_kernel(KERNEL_LOST)
        completed = await self.run_cell(request)
        seen = completed.observation
        if seen.status == "killed" and not self.session.is_ending:
            await self._replay_in_new_kernel(KERNEL_KILLED)
        observation, self.unreported = seen.model_copy(update={"recovery": self.unreported}), None
        return completed.model_copy(update={"observation": observation, "epoch": epoch})

    async def _replay_in_new_kernel(self, why: str) -> None:
        """Replay the cells with the files of their time, and then restore the present files."""
        workspace = self.session.workspace
        present = await asyncio.to_thread(workspace.snapshot)
        await asyncio.to_thread(workspace.restore, self._initial_files)
        recovery = await self._replay(why)
        await asyncio.to_thread(workspace.restore, present.files)
        await self.session.accept_documents()
        remarks = (*_remark_on(present.left_out), *recovery.remarks)[:MAX_REMARKS]
        self.unreported = recovery.model_copy(update={"files": (), "remarks": remarks})

    async def _replay(self, why: str) -> Recovery:
        history = session_history(await self.read_log(), self.role)
        return await Replay(self.session, self.kernels, self.artifacts, self.limit_s).run(history, why)
