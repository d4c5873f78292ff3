"""From a request to its outcome, through a store in memory."""

import asyncio
from io import BytesIO
from threading import Event
from uuid import UUID
from zipfile import ZipFile

import numpy as np
import pytest
from artifacts.testing import FakeArtifacts
from contracts.envelope import outcome_id
from contracts.events.design import DesignInvalidated, DesignSimulated, DesignValidated
from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Limits, Variant
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.scene import Scene
from sim_worker.handlers import film, simulate, verify
from sim_worker.media.film import Format
from sim_worker.media.studio import Studio
from sim_worker.simulator import SimulationRun, SimulationSettings, Simulator

from tests.sim_worker import scenes

SMALL = Format(width=160, height=120, pictures_per_s=10)
RUN = UUID(int=1)
NOWHERE = ArtifactRef(sha256="0" * 64, media_type="application/zip", size_bytes=0)


@pytest.fixture
def artifacts() -> FakeArtifacts:
    return FakeArtifacts()


@pytest.fixture
def laboratory() -> Simulator:
    return Simulator(threads=2)


async def preview(
    scene: Scene, artifacts: FakeArtifacts, laboratory: Simulator, replicas: int = 1
) -> SimulationCompleted | SimulationFailed:
    return await preview_json(scene.model_dump_json(), artifacts, laboratory, replicas)


async def preview_json(
    scene: str, artifacts: FakeArtifacts, laboratory: Simulator, replicas: int = 1
) -> SimulationCompleted | SimulationFailed:
    ref = await artifacts.put(scene.encode(), "application/json")
    request = SimulationRequested(
        id=UUID(int=2), run_id=RUN, role="engineer", producer="test", scene=ref, replicas=replicas
    )
    return await simulate(request, artifacts, laboratory)


async def trial(scene: Scene, artifacts: FakeArtifacts, laboratory: Simulator) -> DesignSimulated | DesignInvalidated:
    ref = await artifacts.put(scene.model_dump_json().encode(), "application/json")
    variant = Variant(
        benchmark="chute",
        title="Chute",
        description="",
        seed=7,
        level=1,
        bounds=scene.bounds,
        build_zone=scene.build_zone,
        goal_zone=scene.goal_zone,
        payload=scene.payload,
        environment_code=NOWHERE,
    )
    design = DesignValidated(
        id=UUID(int=3),
        run_id=RUN,
        role="engineer",
        producer="test",
        assignment=Assignment(variant=variant, limits=Limits()),
        model="offline",
        scene=ref,
        delivery=Delivery(script=NOWHERE, digest="0" * 64, step=NOWHERE, part_steps={}, glb=NOWHERE),
        bill=BillOfMaterials(lines=(), quantity=1, unit_price_usd=0, mass_kg=0),
        replicas=8,
    )
    return await verify(design, artifacts, laboratory)


async def test_a_preview_tells_what_happened(artifacts: FakeArtifacts, laboratory: Simulator) -> None:
    outcome = await preview(scenes.chute_scene(), artifacts, laboratory)
    assert isinstance(outcome, SimulationCompleted)
    result = outcome.result
    assert outcome.id == outcome_id(UUID(int=2))
    assert (result.verdict, result.stability, result.success_rate) == ("solved", "untested", 1.0)
    lines = result.summary_md.splitlines()
    assert lines[0].startswith("**SOLVED**: the payload reached the goal zone after 0.7")
    touched = [line for line in lines if line.startswith("- ") and " `pocket_" in line]
    assert touched, "the pocket that the ball ended in is named"
    assert result.trajectory is not None
    with np.load(BytesIO(await artifacts.get(result.trajectory)), allow_pickle=False) as trajectory:
        np.testing.assert_allclose(trajectory["payload_mm"][-1], result.nominal.final_mm, atol=1.0)


async def test_a_preview_of_a_failure_says_where_it_was_lost(artifacts: FakeArtifacts, laboratory: Simulator) -> None:
    chute = scenes.chute_scene()
    bodies = tuple(body for body in chute.bodies if body.label != "pocket_end")
    outcome = await preview(chute.model_copy(update={"bodies": bodies}), artifacts, laboratory, replicas=8)
    assert isinstance(outcome, SimulationCompleted)
    assert (outcome.result.verdict, outcome.result.stability) == ("failed", "failed")
    assert len(outcome.result.replicas) == 8
    assert "**FAILED**: the payload left the bounds" in outcome.result.summary_md
    assert "- 8: left the bounds" in outcome.result.summary_md


async def test_a_scene_that_is_none_is_named_as_such(artifacts: FakeArtifacts, laboratory: Simulator) -> None:
    outcome = await preview_json('{"bodies": 3}', artifacts, laboratory)
    assert isinstance(outcome, SimulationFailed)
    assert outcome.reason == "scene_invalid"
    assert "bodies" in outcome.detail


async def test_a_payload_inside_a_wall_is_an_outcome_not_an_exception(
    artifacts: FakeArtifacts, laboratory: Simulator
) -> None:
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(scenes.block("wall", (0, 0, 0), (50, 50, 50)),))
    seen = await preview(scene, artifacts, laboratory)
    assert isinstance(seen, SimulationFailed)
    assert seen.reason == "initial_penetration"
    tried = await trial(scene, artifacts, laboratory)
    assert isinstance(tried, DesignInvalidated)
    assert [finding.rule for finding in tried.findings] == ["not_simulatable"]
    assert "inside wall" in tried.findings[0].detail


async def test_a_trial_gives_a_verdict_over_replicas_and_draws_nothing(
    artifacts: FakeArtifacts, laboratory: Simulator
) -> None:
    outcome = await trial(scenes.chute_scene(), artifacts, laboratory)
    assert isinstance(outcome, DesignSimulated)
    assert (outcome.result.verdict, outcome.result.stability) == ("solved", "stable")
    assert len(outcome.result.replicas) == 8
    assert outcome.delivery.media is None
    assert outcome.delivery.scene is not None
    assert Scene.model_validate_json(await artifacts.get(outcome.delivery.scene)) == scenes.chute_scene()


async def filmed(
    scene: Scene, digest: str, artifacts: FakeArtifacts, window_s: tuple[float, float] | None = None
) -> FilmCompleted | FilmFailed:
    ref = await artifacts.put(scene.model_dump_json().encode(), "application/json")
    request = FilmRequested(
        id=UUID(int=4),
        run_id=RUN,
        role="planner",
        producer="test",
        scene=ref,
        trajectory_digest=digest,
        window_s=window_s,
    )
    return await film(request, artifacts, Simulator(threads=1), Studio(SMALL))


async def test_what_was_judged_can_be_filmed_afterwards(artifacts: FakeArtifacts, laboratory: Simulator) -> None:
    judged = await trial(scenes.chute_scene(), artifacts, laboratory)
    assert isinstance(judged, DesignSimulated)
    outcome = await filmed(scenes.chute_scene(), judged.result.trajectory_digest, artifacts)
    assert isinstance(outcome, FilmCompleted), outcome
    assert outcome.summary_md.startswith("**SOLVED**: the payload reached the goal zone")
    media = outcome.media
    assert media.contact_sheet is not None
    assert media.trajectory == judged.result.trajectory
    begins = (
        (media.video, b"\0\0\0"),
        (media.poster, b"\x89PNG"),
        (media.contact_sheet, b"\x89PNG"),
        (media.key_frames[0].picture, b"\x89PNG"),
        (media.glb, b"glTF"),
        (media.trajectory, b"PK"),
    )
    for ref, beginning in begins:
        assert (await artifacts.get(ref)).startswith(beginning)
    with ZipFile(BytesIO(await artifacts.get(media.mjcf))) as bundle:
        assert bundle.read("scene.xml").startswith(b"<mujoco")


async def test_a_film_of_another_run_is_not_made(artifacts: FakeArtifacts) -> None:
    outcome = await filmed(scenes.chute_scene(), "0" * 64, artifacts)
    assert isinstance(outcome, FilmFailed)
    assert outcome.reason == "ran_differently"
    assert "000000000000 when it was judged" in outcome.detail


async def test_a_window_without_a_moment_is_no_film(artifacts: FakeArtifacts, laboratory: Simulator) -> None:
    seen = await preview(scenes.chute_scene(), artifacts, laboratory)
    assert isinstance(seen, SimulationCompleted)
    outcome = await filmed(scenes.chute_scene(), seen.result.trajectory_digest, artifacts, (20.0, 30.0))
    assert isinstance(outcome, FilmFailed)
    assert outcome.reason == "nothing_to_film"


async def test_a_scene_that_cannot_run_cannot_be_filmed(artifacts: FakeArtifacts) -> None:
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(scenes.block("wall", (0, 0, 0), (50, 50, 50)),))
    outcome = await filmed(scene, "0" * 64, artifacts)
    assert isinstance(outcome, FilmFailed)
    assert outcome.reason == "initial_penetration"


async def test_the_same_trial_twice_gives_the_same_result(artifacts: FakeArtifacts, laboratory: Simulator) -> None:
    first = await trial(scenes.chute_scene(), artifacts, laboratory)
    second = await trial(scenes.chute_scene(), artifacts, Simulator(threads=1))
    assert isinstance(first, DesignSimulated)
    assert isinstance(second, DesignSimulated)
    assert first.result == second.result


class SlowLaboratory(Simulator):
    """Simulates as long as it is held."""

    def __init__(self) -> None:
        super().__init__(threads=2)
        self.begun, self.let_go = Event(), Event()

    def run(self, scene: Scene, trial: SimulationSettings) -> SimulationRun:
        self.begun.set()
        self.let_go.wait()
        return super().run(scene, trial)


async def test_a_cancelled_simulation_is_dropped_and_holds_nobody_up(
    artifacts: FakeArtifacts, laboratory: Simulator
) -> None:
    """As when its run ends; the thread goes on to its end, and nobody waits for it."""
    slow = SlowLaboratory()
    dropped = asyncio.create_task(preview(scenes.chute_scene(), artifacts, slow))
    await asyncio.to_thread(slow.begun.wait)
    dropped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dropped
    assert isinstance(await preview(scenes.chute_scene(), artifacts, laboratory), SimulationCompleted)
    slow.let_go.set()
