"""Bringing a new kernel to where the last one was: files and cells in the order of the log, no tool asked again."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from contracts.models.observation import Observation, Recovery

from cad_worker.sessions.cell import cell_of
from cad_worker.sessions.reopening import reopen
from cad_worker.sessions.session import Session
from cad_worker.sessions.session_history import CompletedCell, NewPlan, SessionHistory, WrittenFile, update_fingerprints
from cad_worker.sessions.tool_replies import ToolReplay, ToolReplies, replies_of
from cad_worker.sessions.trajectories import with_trajectories

MAX_REMARKS = 10
STORE_AGAIN_S = 1.0

_log = logging.getLogger(__name__)


@dataclass
class Replay:
    """One replay, under way."""

    session: Session
    artifacts: ArtifactStore
    limit_s: float
    """How long all cells together may take."""
    clock: Callable[[], float] = time.monotonic
    fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    """Of each variable, as it is now."""
    cells: int = 0
    """How many were run again."""
    remarks: list[str] = field(default_factory=list[str])
    is_broken_off: bool = False

    async def run(self, memory: SessionHistory, why: str) -> Recovery:
        """Do all of it again; what cannot be is told."""
        began_s = self.clock()
        for step in memory.steps:
            if isinstance(step, WrittenFile):
                self.session.workspace.write(step.path, step.text)
            elif isinstance(step, NewPlan):
                await reopen(self.session, step.request, self.artifacts)
            elif not self.is_broken_off:
                await self._run(step, self.limit_s - (self.clock() - began_s))
        same = {name for name, mark in memory.fingerprints.items() if self.fingerprints.get(name) == mark}
        return Recovery(
            why=why,
            replayed_cells=self.cells,
            elapsed_s=self.clock() - began_s,
            files=memory.files,
            restored=tuple(sorted(same)),
            different=tuple(sorted(memory.fingerprints.keys() & self.fingerprints.keys() - same)),
            lost=tuple(sorted(memory.fingerprints.keys() - self.fingerprints.keys())),
            remarks=tuple([*memory.left_out, *self.remarks][:MAX_REMARKS]),
        )

    async def _run(self, step: CompletedCell, left_s: float) -> None:
        if left_s <= 0:
            self._break_off(step, f"the {self.limit_s:g} s for running cells again were over")
            return
        tools = ToolReplay(await self._replies(step))
        cell = cell_of(step.request, min(step.request.timeout_s, left_s))
        outcome = await self.session.run(cell, with_trajectories(tools.answer, self.artifacts))
        seen, then = outcome.observation, step.completed.observation
        if seen.status == "killed":
            self.fingerprints.clear()
            self.cells = 0
            why = seen.error.message if seen.error is not None else "the kernel died"
            self._break_off(step, f"this time it took the kernel with it, and all variables: {why}")
            return
        self.cells += 1
        update_fingerprints(self.fingerprints, seen)
        if tools.divergence is not None:
            self._break_off(step, tools.divergence, after=True)
        elif seen.status == "timeout":
            self._break_off(step, "it did not come to its end in time", after=True)
        elif _ended(seen) != _ended(then):
            self.remarks.append(f"cell {step.number} ended with {_ended(seen)}, where it had ended with {_ended(then)}")

    async def _replies(self, step: CompletedCell) -> ToolReplies:
        """Wait for the store if it is away: half a replay helps nobody, and a second one would begin in its midst."""
        while True:
            try:
                return await replies_of(self.artifacts, step.completed.tool_replies)
            except ArtifactsUnavailableError as error:
                _log.warning("the tool replies of cell %s are waited for: %s", step.request.id, error)
            await asyncio.sleep(STORE_AGAIN_S)

    def _break_off(self, step: CompletedCell, why: str, *, after: bool = False) -> None:
        """Run no further cell."""
        self.is_broken_off = True
        which = "after" if after else "from"
        self.remarks.append(f"no cell ran again {which} cell {step.number} on ({step.request.purpose}): {why}")


def _ended(seen: Observation) -> str:
    return seen.status if seen.error is None else seen.error.type
