"""Recorded replies of a cell's tools, so that the cell can run again without calling any tool."""

import asyncio
import logging
from collections.abc import Callable
from hashlib import sha256

from artifacts.port import ArtifactStore, ArtifactsUnavailableError, get_json, put_json
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from documents.benchmarks.certification import certification_markdown
from pydantic import BaseModel, JsonValue, NonNegativeInt, RootModel

from cad_worker.author_protocol import TestAnswer
from cad_worker.session_protocol import (
    ARRAYS_FILE,
    KernelCall,
    PerceptionAnswer,
    PerceptionCall,
    RerunCall,
    SimulationAnswer,
    SimulationCall,
)
from cad_worker.sessions.session import Answer

STORE_RETRY_S = 1.0
_ADDED = frozenset({"quantity", "replicas", "seed", "payload_at_mm"})
"""Fields that calls of older versions did not have: at its default, none of them changes a recorded digest."""

Place = Callable[[str, bytes], None]
"""Writes a file of the workspace that cells cannot change."""

_log = logging.getLogger(__name__)


class ToolReply(Model):
    """One call and its reply."""

    ordinal: NonNegativeInt
    tool: str
    """The call's `kind`."""
    arguments: Sha256
    """Digest of the call."""
    reply: JsonValue


class ToolReplies(Model):
    """All calls of a cell, in order."""

    replies: tuple[ToolReply, ...]


class ReplayedReply(RootModel[JsonValue]):
    """A reply as it was recorded."""


class RejectedCall(BaseModel):
    """The answer to a call that is not allowed; valid as an answer of every tool."""

    problem: str


class ToolRecorder:
    """Answers the calls of one cell, and records the replies."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._replies: list[ToolReply] = []

    async def answer(self, call: KernelCall, ordinal: int) -> BaseModel:
        """Answer a call and record the reply."""
        reply = await self._answer(call, ordinal)
        recorded = reply.model_dump(mode="json")
        self._replies.append(ToolReply(ordinal=ordinal, tool=call.kind, arguments=_digest(call), reply=recorded))
        return reply

    @property
    def calls(self) -> int:
        """How many calls were answered."""
        return len(self._replies)

    @property
    def simulations(self) -> int:
        """How many simulations and tests of worlds ran, without those of stations, which do not try the design."""
        return len(self._summaries())

    @property
    def simulated_md(self) -> str:
        """The summary of the last of these; empty if there was none."""
        summaries = self._summaries()
        return summaries[-1] if summaries else ""

    async def stored(self, artifacts: ArtifactStore) -> ArtifactRef | None:
        """Store the replies as an artifact; None without calls."""
        return await put_json(artifacts, ToolReplies(replies=tuple(self._replies))) if self._replies else None

    def _summaries(self) -> list[str]:
        summaries = [_summary(each) for each in self._replies]
        return [summary for summary in summaries if summary]


def _summary(reply: ToolReply) -> str:
    """Return what a simulation or a test of worlds has shown; empty for another call, and for one without a result."""
    if reply.tool == "simulation":
        result = SimulationAnswer.model_validate(reply.reply).result
        return "" if result is None or result.is_station_test else result.summary_md or "simulated"
    if reply.tool == "test":
        tested = TestAnswer.model_validate(reply.reply)
        return certification_markdown(tested.worlds, tested.findings) if not tested.problem else ""
    return ""


class ToolReplay:
    """Answers the calls of a cell that runs again with the recorded replies."""

    def __init__(self, replies: ToolReplies) -> None:
        self._replies = {each.ordinal: each for each in replies.replies}
        self.divergence: str | None = None
        """The first or last call that differed from the recorded one, if any did."""

    async def answer(self, call: KernelCall, ordinal: int) -> BaseModel:
        """Return the recorded reply; reject a call that differs from the recorded one."""
        recorded = self._replies.get(ordinal)
        if recorded is not None and recorded.arguments == _digest(call):
            return ReplayedReply(recorded.reply)
        before = "nothing" if recorded is None else f"{recorded.tool} of something else"
        self.divergence = f"its tool call {ordinal + 1} was {call.kind}, where it had called {before}"
        return RejectedCall(problem=f"this cell ran again after the kernel was lost, and {self.divergence}")


async def load_replies(artifacts: ArtifactStore, ref: ArtifactRef | None) -> ToolReplies:
    """Return the recorded replies of a cell."""
    return ToolReplies(replies=()) if ref is None else await get_json(artifacts, ref, ToolReplies)


def with_files(answer: Answer, artifacts: ArtifactStore, place: Place) -> Answer:
    """Return a function that adds the trajectory file to the answers of simulations, and the arrays to perception's.

    Both are fetched for every answer instead of being recorded, since they are large; arrays do not fit into a message
    are placed in the workspace. If the store is unavailable, the answer waits for it.
    """

    async def answer_with_file(call: KernelCall, ordinal: int) -> BaseModel:
        reply = await answer(call, ordinal)
        if isinstance(call, PerceptionCall):
            return await _with_arrays(reply, artifacts, place)
        if not isinstance(call, SimulationCall | RerunCall):
            return reply
        simulated = SimulationAnswer.model_validate_json(reply.model_dump_json())  # recorded replies are plain JSON
        if simulated.result is None or simulated.result.trajectory is None:
            return simulated
        npz = await _fetch(artifacts, simulated.result.trajectory)
        return simulated.model_copy(update={"trajectory_npz": npz})

    return answer_with_file


async def _with_arrays(reply: BaseModel, artifacts: ArtifactStore, place: Place) -> PerceptionAnswer:
    perceived = PerceptionAnswer.model_validate_json(reply.model_dump_json())  # as above
    if perceived.result is not None:
        arrays = await _fetch(artifacts, perceived.result.arrays)
        await asyncio.to_thread(place, ARRAYS_FILE, arrays)
    return perceived


async def _fetch(artifacts: ArtifactStore, ref: ArtifactRef) -> bytes:
    while True:
        try:
            return await artifacts.get(ref)
        except ArtifactsUnavailableError as error:
            _log.warning("waiting for a file of a tool's reply: %s", error)
        await asyncio.sleep(STORE_RETRY_S)


def _digest(call: BaseModel) -> str:
    fields = type(call).model_fields
    added = {name for name in _ADDED if name in fields and getattr(call, name) == fields[name].default}
    return sha256(call.model_dump_json(exclude=added).encode()).hexdigest()
