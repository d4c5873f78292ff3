"""Replay of a session: files and cells in the order of the event log, with recorded replies of tools."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from contracts.models.observation import Observation, Recovery

from cad_worker.sessions.further_requests import reopen
from cad_worker.sessions.session import Cell, Session
from cad_worker.sessions.session_history import (
    CompletedCell,
    Reopened,
    SessionHistory,
    WrittenFile,
    update_fingerprints,
)
from cad_worker.sessions.tool_replies import (
    STORE_RETRY_S,
    ToolReplay,
    ToolReplies,
    load_replies,
    with_trajectories,
)

MAX_REMARKS = 10

_log = logging.getLogger(__name__)


@dataclass
class Replay:
    """One replay and its progress."""

    session: Session
    artifacts: ArtifactStore
    limit_s: float
    """For all cells together."""
    clock: Callable[[], float] = time.monotonic
    fingerprints: dict[str, str] = field(default_factory=dict[str, str])
    """Of each variable now."""
    cells: int = 0
    """How many ran again."""
    remarks: list[str] = field(default_factory=list[str])
    is_broken_off: bool = False

    async def run(self, history: SessionHistory, why: str) -> Recovery:
        """Repeat the history; the result lists the variables that could not be restored."""
        began_s = self.clock()
        for step in history.steps:
            if isinstance(step, WrittenFile):
                self.session.workspace.write(step.path, step.text)
            elif isinstance(step, Reopened):
                await reopen(self.session, step.request, self.artifacts)
            elif not self.is_broken_off:
                await self._run_cell(step, self.limit_s - (self.clock() - began_s))
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

    async def _run_cell(self, step: CompletedCell, left_s: float) -> None:
        if left_s <= 0:
            self._break_off(step, f"the {self.limit_s:g} s for running cells again were over")
            return
        tools = ToolReplay(await self._replies(step))
        cell = Cell.of(step.request, min(step.request.timeout_s, left_s))
        outcome = await self.session.run(cell, with_trajectories(tools.answer, self.artifacts))
        seen, before = outcome.observation, step.completed.observation
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


def _ending(seen: Observation) -> str:
    return seen.status if seen.error is None else seen.error.type
