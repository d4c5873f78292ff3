"""Handlers from request to outcome, with an artifact store in memory."""

import asyncio
import time
from collections.abc import Mapping
from io import BytesIO
from threading import Event
from uuid import UUID
from zipfile import ZipFile

import numpy as np
import pytest
from artifacts.testing import FakeArtifacts
from contracts.envelope import outcome_id
from contracts.events.design import DesignInvalidated, DesignSimulated
from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)
from contracts.models.scene import Scene
from sim_worker.handlers import film, simulate, verify
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer
from sim_worker.run.cancellation import Cancellation, SimulationCancelledError
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

from tests.sim_worker import scenes
from tests.sim_worker.validated_designs import RUN, validated_design

SMALL = VideoFormat(width=160, height=120, pictures_per_s=10)


@pytest.fixture
def artifacts() -> FakeArtifacts:
    return FakeArtifacts()


@pytest.fixture
def simulator() -> Simulator:
    return Simulator(threads=2)


async def preview(
    scene: Scene, artifacts: FakeArtifacts, simulator: Simulator, replicas: int = 1
) -> SimulationCompleted | SimulationFailed:
    return await preview_json(scene.model_dump_json(), artifacts, simulator, replicas)


async def preview_json(
    scene: str, artifacts: FakeArtifacts, simulator: Simulator, replicas: int = 1
) -> SimulationCompleted | SimulationFailed:
    ref = await artifacts.put(scene.encode(), "application/json")
    request = SimulationRequested(
        id=UUID(int=2), run_id=RUN, role="engineer", producer="test", scene=ref, replicas=replicas
    )
    return await simulate(request, artifacts, simulator)


async def verified(scene: Scene, artifacts: FakeArtifacts, simulator: Simulator) -> DesignSimulated | DesignInvalidated:
    ref = await artifacts.put(scene.model_dump_json().encode(), "application/json")
    return await verify(validated_design(scene, ref), artifacts, simulator)


async def test_preview_returns_result_and_stored_trajectory(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    outcome = await preview(scenes.chute_scene(), artifacts, simulator)
    assert isinstance(outcome, SimulationCompleted)
    result = outcome.result
    assert outcome.id == outcome_id(UUID(int=2))
    assert (result.verdict, result.stability, result.success_rate) == ("solved", "untested", 1.0)
    lines = result.summary_md.splitlines()
    assert lines[0].startswith("**SOLVED**: the payload touched the goal zone after 0.7")
    touched = [line for line in lines if line.startswith("- ") and " `pocket_" in line]
    assert touched, "the pocket that the ball ended in is named"
    assert result.trajectory is not None
    with np.load(BytesIO(await artifacts.get(result.trajectory)), allow_pickle=False) as trajectory:
        np.testing.assert_allclose(trajectory["payload_mm"][-1], result.nominal.final_mm, atol=1.0)


async def test_preview_of_a_failure_names_the_bounds(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    chute = scenes.chute_scene()
    bodies = tuple(body for body in chute.bodies if body.label != "pocket_end")
    outcome = await preview(chute.model_copy(update={"bodies": bodies}), artifacts, simulator, replicas=8)
    assert isinstance(outcome, SimulationCompleted)
    assert (outcome.result.verdict, outcome.result.stability) == ("failed", "failed")
    assert len(outcome.result.replicas) == 8
    assert "**FAILED**: `payload` left the world" in outcome.result.summary_md
    assert "- 8: left the world" in outcome.result.summary_md


async def test_preview_of_a_malformed_scene_fails(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    outcome = await preview_json('{"bodies": 3}', artifacts, simulator)
    assert isinstance(outcome, SimulationFailed)
    assert outcome.reason == "scene_invalid"
    assert "bodies" in outcome.detail


async def test_initial_penetration_is_an_outcome(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(scenes.block("wall", (0, 0, 0), (50, 50, 50)),))
    seen = await preview(scene, artifacts, simulator)
    assert isinstance(seen, SimulationFailed)
    assert seen.reason == "initial_penetration"
    outcome = await verified(scene, artifacts, simulator)
    assert isinstance(outcome, DesignInvalidated)
    assert [finding.rule for finding in outcome.findings] == ["not_simulatable"]
    assert "inside wall" in outcome.findings[0].detail


async def test_verification_counts_replicas_and_makes_no_media(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    outcome = await verified(scenes.chute_scene(), artifacts, simulator)
    assert isinstance(outcome, DesignSimulated)
    assert (outcome.result.verdict, outcome.result.stability) == ("solved", "stable")
    assert len(outcome.result.replicas) == 8
    assert outcome.delivery.media is None
    assert outcome.delivery.scene is not None
    assert Scene.model_validate_json(await artifacts.get(outcome.delivery.scene)) == scenes.chute_scene()


async def test_judged_replicas_have_the_seed_of_the_variant(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    outcome = await verified(scenes.chute_scene(), artifacts, simulator)
    assert isinstance(outcome, DesignSimulated)
    of_seed_7, of_seed_0 = (
        simulator.simulate(scenes.chute_scene(), SimulationSettings(8, seed, has_aftermath=True)).result.replicas
        for seed in (7, 0)
    )
    assert outcome.result.replicas == of_seed_7 != of_seed_0


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
    return await film(request, artifacts, Simulator(threads=1), MediaRenderer(SMALL))


async def test_film_of_a_judged_run_stores_all_media(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    judged = await verified(scenes.chute_scene(), artifacts, simulator)
    assert isinstance(judged, DesignSimulated)
    outcome = await filmed(scenes.chute_scene(), judged.result.trajectory_digest, artifacts)
    assert isinstance(outcome, FilmCompleted), outcome
    assert outcome.summary_md.startswith("**SOLVED**: the payload touched the goal zone")
    assert "jittered replicas" not in outcome.summary_md, "a film is of the nominal run alone"
    media = outcome.media
    assert media.contact_sheet is not None
    assert media.views is not None
    assert "Green: goal zone" in media.views_show
    assert media.trajectory == judged.result.trajectory
    begins = (
        (media.video, b"\0\0\0"),
        (media.poster, b"\x89PNG"),
        (media.contact_sheet, b"\x89PNG"),
        (media.views, b"\x89PNG"),
        (media.key_frames[0].picture, b"\x89PNG"),
        (media.glb, b"glTF"),
        (media.trajectory, b"PK"),
    )
    for ref, beginning in begins:
        assert (await artifacts.get(ref)).startswith(beginning)
    with ZipFile(BytesIO(await artifacts.get(media.mjcf))) as bundle:
        assert bundle.read("scene.xml").startswith(b"<mujoco")


async def test_film_with_another_digest_fails(artifacts: FakeArtifacts) -> None:
    outcome = await filmed(scenes.chute_scene(), "0" * 64, artifacts)
    assert isinstance(outcome, FilmFailed)
    assert outcome.reason == "ran_differently"
    assert "000000000000 when it was judged" in outcome.detail


async def test_film_of_an_empty_window_fails(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    seen = await preview(scenes.chute_scene(), artifacts, simulator)
    assert isinstance(seen, SimulationCompleted)
    outcome = await filmed(scenes.chute_scene(), seen.result.trajectory_digest, artifacts, (20.0, 30.0))
    assert isinstance(outcome, FilmFailed)
    assert outcome.reason == "nothing_to_film"


async def test_film_of_a_rejected_scene_fails(artifacts: FakeArtifacts) -> None:
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(scenes.block("wall", (0, 0, 0), (50, 50, 50)),))
    outcome = await filmed(scene, "0" * 64, artifacts)
    assert isinstance(outcome, FilmFailed)
    assert outcome.reason == "initial_penetration"


async def test_verification_is_repeatable(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    first = await verified(scenes.chute_scene(), artifacts, simulator)
    second = await verified(scenes.chute_scene(), artifacts, Simulator(threads=1))
    assert isinstance(first, DesignSimulated)
    assert isinstance(second, DesignSimulated)
    assert first.result == second.result


class WatchedSimulator(Simulator):
    """Tells when it begins and how it ended."""

    def __init__(self) -> None:
        super().__init__(threads=2)
        self.has_begun, self.is_cancelled = Event(), False

    def simulate(
        self,
        scene: Scene,
        settings: SimulationSettings,
        cancellation: Cancellation | None = None,
        *,
        solids: Mapping[str, bytes] | None = None,
    ) -> SimulationRecord:
        self.has_begun.set()
        try:
            return super().simulate(scene, settings, cancellation, solids=solids)
        except SimulationCancelledError:
            self.is_cancelled = True
            raise


async def test_cancelled_simulation_ends_within_a_second(artifacts: FakeArtifacts, simulator: Simulator) -> None:
    """As when its run ends: otherwise the next message would share the processors with a result that is not wanted."""
    watched = WatchedSimulator()
    dropped = asyncio.create_task(preview(scenes.loose_scene(60), artifacts, watched, replicas=32))
    await asyncio.to_thread(watched.has_begun.wait)
    await asyncio.sleep(1.0)
    dropped.cancel()
    began_s = time.process_time()
    with pytest.raises(asyncio.CancelledError):
        await dropped
    assert watched.is_cancelled
    assert time.process_time() - began_s < 4.0  # of both threads
    assert isinstance(await preview(scenes.chute_scene(), artifacts, simulator), SimulationCompleted)


async def test_simulation_of_too_many_loose_bodies_is_refused_with_what_would_help(
    artifacts: FakeArtifacts, simulator: Simulator
) -> None:
    scene = scenes.loose_scene(144, duration_s=10.0)
    began_s = time.process_time()
    answer = await verified(scene, artifacts, simulator)
    assert time.process_time() - began_s < 4.0
    assert isinstance(answer, DesignInvalidated)
    (finding,) = answer.findings
    assert finding.rule == "not_simulatable"
    assert "144 bodies and the payload have 870 degrees of freedom" in finding.detail
    assert "in a run of 10 s with 10000 steps at most 500 can be simulated" in finding.detail
    assert "glue or screw parts together" in finding.detail
    previewed = await preview(scene, artifacts, simulator)
    assert isinstance(previewed, SimulationFailed)
    assert previewed.detail == finding.detail
