"""C3: a run keeps its series when its cell runs again, though no reply was recorded with them."""

import io

import numpy as np
import pytest
from artifacts.port import ArtifactsUnavailableError
from artifacts.testing import FakeArtifacts
from cad_worker.job_protocol import DesignData
from cad_worker.session_protocol import ScriptAnswer, ScriptCall, SimulationAnswer, SimulationCall
from cad_worker.sessions import trajectories
from cad_worker.sessions.tool_replies import ToolRecorder, ToolReplay, replies_of
from cad_worker.sessions.trajectories import with_trajectories
from contracts.models.artifact import ArtifactRef
from pydantic import BaseModel

from tests.contracts import example_values as values

WANTED = SimulationCall(design=DesignData(parts=()))


def numbers() -> bytes:
    file = io.BytesIO()
    np.savez(file, time_s=np.arange(100_000.0))
    return file.getvalue()


async def simulated(artifacts: FakeArtifacts) -> SimulationAnswer:
    stored = await artifacts.put(numbers(), "application/x-npz")
    return SimulationAnswer(result=values.RESULT.model_copy(update={"trajectory": stored}))


async def test_c3_a_replayed_simulation_brings_its_trajectory_again() -> None:
    artifacts = FakeArtifacts()

    async def ask(_wanted: SimulationCall, _ordinal: int) -> BaseModel:
        return await simulated(artifacts)

    recorder = ToolRecorder(ask)
    fresh = await with_trajectories(recorder.answer, artifacts)(WANTED, 0)  # pyright: ignore[reportArgumentType] - one tool of many
    kept = await recorder.stored(artifacts)
    assert kept is not None
    assert kept.size_bytes < 10_000 < len(numbers())
    player = ToolReplay(await replies_of(artifacts, kept))
    again = await with_trajectories(player.answer, artifacts)(WANTED, 0)
    assert isinstance(fresh, SimulationAnswer)
    assert isinstance(again, SimulationAnswer)
    assert again.trajectory_npz == fresh.trajectory_npz == numbers()
    assert player.divergence is None


async def test_c3_a_refused_simulation_has_no_trajectory_and_other_tools_are_left_alone() -> None:
    async def refuse(wanted: BaseModel, _ordinal: int) -> BaseModel:
        if isinstance(wanted, ScriptCall):
            return ScriptAnswer(problem="no script")
        return SimulationAnswer(problem="it falls apart")

    answer = with_trajectories(refuse, FakeArtifacts())
    told = await answer(WANTED, 0)
    assert isinstance(told, SimulationAnswer)
    assert (told.problem, told.trajectory_npz) == ("it falls apart", b"")
    assert await answer(ScriptCall(), 1) == ScriptAnswer(problem="no script")


class AwayOnce(FakeArtifacts):
    """A store that is away when it is asked first."""

    asked = 0

    async def get(self, ref: ArtifactRef) -> bytes:
        self.asked += 1
        if self.asked == 1:
            raise ArtifactsUnavailableError("the store", "away")
        return await super().get(ref)


async def test_c3_a_store_that_is_away_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectories, "STORE_AGAIN_S", 0.01)
    artifacts = AwayOnce()

    async def ask(_wanted: BaseModel, _ordinal: int) -> BaseModel:
        return await simulated(artifacts)

    told = await with_trajectories(ask, artifacts)(WANTED, 0)
    assert isinstance(told, SimulationAnswer)
    assert told.trajectory_npz == numbers()
    assert artifacts.asked == 2
