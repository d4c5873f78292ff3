"""Recorded tool replies: replayed without a call, trajectories fetched again."""

import io

import numpy as np
import pytest
from artifacts.port import ArtifactsUnavailableError
from artifacts.testing import FakeArtifacts
from cad_worker.kernel_kinds import add_trajectory, summarize_simulation
from cad_worker.session_protocol import ScriptAnswer, ScriptCall, SimulationAnswer, SimulationCall
from contracts.models.artifact import ArtifactRef
from design_rules.design_data import DesignData
from kernel_host.protocol import KernelCall, RejectedCall
from kernel_host.sessions import tool_replies
from kernel_host.sessions.tool_replies import ToolRecorder, ToolReplay, completed, load_replies
from pydantic import BaseModel

from tests.contracts import example_values as values

CALL = SimulationCall(design=DesignData(parts=()))


def trajectory() -> bytes:
    file = io.BytesIO()
    np.savez(file, time_s=np.arange(100_000.0))
    return file.getvalue()


def nowhere(_path: str, _data: bytes) -> None:
    """Refuse: a simulation has no file in the workspace."""
    raise AssertionError("nothing is placed")


async def simulated(artifacts: FakeArtifacts) -> SimulationAnswer:
    stored = await artifacts.put(trajectory(), "application/x-npz")
    return SimulationAnswer(result=values.RESULT.model_copy(update={"trajectory": stored}))


async def test_replayed_simulation_has_its_trajectory_though_none_was_recorded() -> None:
    artifacts = FakeArtifacts()

    async def simulate(_call: KernelCall, _ordinal: int) -> BaseModel:
        return await simulated(artifacts)

    recorder = ToolRecorder(simulate, summarize_simulation)
    fresh = await completed(recorder.answer, add_trajectory, artifacts, nowhere)(CALL, 0)
    recorded = await recorder.stored(artifacts)
    assert recorded is not None
    assert recorded.size_bytes < 10_000 < len(trajectory())
    replay = ToolReplay(await load_replies(artifacts, recorded))
    again = await completed(replay.answer, add_trajectory, artifacts, nowhere)(CALL, 0)
    assert isinstance(fresh, SimulationAnswer)
    assert isinstance(again, SimulationAnswer)
    assert again.trajectory_npz == fresh.trajectory_npz == trajectory()
    assert replay.divergence is None
    assert (recorder.calls, recorder.simulations, recorder.simulated_md) == (1, 1, values.RESULT.summary_md)


async def test_replay_rejects_a_call_that_differs_from_the_recorded_one() -> None:
    async def refuse(_call: KernelCall, _ordinal: int) -> BaseModel:
        return SimulationAnswer(problem="it falls apart")

    artifacts, recorder = FakeArtifacts(), ToolRecorder(refuse, summarize_simulation)
    await recorder.answer(CALL, 0)
    replay = ToolReplay(await load_replies(artifacts, await recorder.stored(artifacts)))
    rejected = await replay.answer(ScriptCall(), 0)
    assert isinstance(rejected, RejectedCall)
    assert "tool call 1 was script, where it had called simulation of something else" in rejected.problem
    assert isinstance(await replay.answer(CALL, 1), RejectedCall)
    assert replay.divergence is not None
    assert (recorder.calls, recorder.simulations, recorder.simulated_md) == (1, 0, "")


async def test_failed_simulation_and_other_tools_get_no_trajectory() -> None:
    async def refuse(call: KernelCall, _ordinal: int) -> BaseModel:
        if isinstance(call, ScriptCall):
            return ScriptAnswer(problem="no script")
        return SimulationAnswer(problem="it falls apart")

    answer = completed(refuse, add_trajectory, FakeArtifacts(), nowhere)
    failed = await answer(CALL, 0)
    assert isinstance(failed, SimulationAnswer)
    assert (failed.problem, failed.trajectory_npz) == ("it falls apart", b"")
    assert await answer(ScriptCall(), 1) == ScriptAnswer(problem="no script")


class UnavailableOnce(FakeArtifacts):
    """A store that is unavailable at its first use."""

    gets = 0

    async def get(self, ref: ArtifactRef) -> bytes:
        self.gets += 1
        if self.gets == 1:
            raise ArtifactsUnavailableError("the store", "away")
        return await super().get(ref)


async def test_answer_waits_for_an_unavailable_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_replies, "STORE_RETRY_S", 0.01)
    artifacts = UnavailableOnce()

    async def simulate(_call: KernelCall, _ordinal: int) -> BaseModel:
        return await simulated(artifacts)

    answer = await completed(simulate, add_trajectory, artifacts, nowhere)(CALL, 0)
    assert isinstance(answer, SimulationAnswer)
    assert answer.trajectory_npz == trajectory()
    assert artifacts.gets == 2
