"""From a request to its outcome, through a store in memory."""

import asyncio
from threading import Event
from uuid import UUID

import pytest
from artifacts.testing import FakeArtifacts
from contracts.artifact import ArtifactRef
from contracts.benchmark import Assignment, Limits, Variant
from contracts.design import BillOfMaterials, Delivery, DesignInvalidated, DesignSimulated, DesignValidated
from contracts.envelope import outcome_id
from contracts.scene import Scene
from contracts.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from sim_worker.filming import Format
from sim_worker.handlers import simulate, verify
from sim_worker.laboratory import Experiment, Laboratory, Trial

from tests.sim_worker import scenes

SMALL = Format(width=160, height=120, pictures_per_s=10)
RUN = UUID(int=1)
NOWHERE = ArtifactRef(sha256="0" * 64, media_type="application/zip", size_bytes=0)


@pytest.fixture
def artifacts() -> FakeArtifacts:
    return FakeArtifacts()


@pytest.fixture
def laboratory() -> Laboratory:
    return Laboratory(threads=2, form=SMALL)


async def preview(
    scene: Scene, artifacts: FakeArtifacts, laboratory: Laboratory, replicas: int = 1
) -> SimulationCompleted | SimulationFailed:
    return await preview_json(scene.model_dump_json(), artifacts, laboratory, replicas)


async def preview_json(
    scene: str, artifacts: FakeArtifacts, laboratory: Laboratory, replicas: int = 1
) -> SimulationCompleted | SimulationFailed:
    ref = await artifacts.put(scene.encode(), "application/json")
    request = SimulationRequested(
        id=UUID(int=2), run_id=RUN, role="engineer", producer="test", scene=ref, replicas=replicas
    )
    return await simulate(request, artifacts, laboratory)


async def trial(scene: Scene, artifacts: FakeArtifacts, laboratory: Laboratory) -> DesignSimulated | DesignInvalidated:
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


async def test_a_preview_tells_what_happened(artifacts: FakeArtifacts, laboratory: Laboratory) -> None:
    outcome = await preview(scenes.chute_scene(), artifacts, laboratory)
    assert isinstance(outcome, SimulationCompleted)
    result = outcome.result
    assert (outcome.id, outcome.media) == (outcome_id(UUID(int=2)), None)
    assert (result.verdict, result.stability, result.success_rate) == ("solved", "untested", 1.0)
    lines = result.summary_md.splitlines()
    assert lines[0].startswith("**SOLVED**: the payload reached the goal zone after 0.7")
    assert lines.index("## Parts touched, in order") < len(lines)
    touched = [line for line in lines if line.startswith("- ") and " `pocket_" in line]
    assert touched, "the pocket that the ball ended in is named"


async def test_a_preview_of_a_failure_says_where_it_was_lost(artifacts: FakeArtifacts, laboratory: Laboratory) -> None:
    chute = scenes.chute_scene()
    bodies = tuple(body for body in chute.bodies if body.label != "pocket_end")
    outcome = await preview(chute.model_copy(update={"bodies": bodies}), artifacts, laboratory, replicas=8)
    assert isinstance(outcome, SimulationCompleted)
    assert (outcome.result.verdict, outcome.result.stability) == ("failed", "failed")
    assert len(outcome.result.replicas) == 8
    assert "**FAILED**: the payload left the bounds" in outcome.result.summary_md
    assert "- 8: left the bounds" in outcome.result.summary_md


async def test_a_scene_that_is_none_is_named_as_such(artifacts: FakeArtifacts, laboratory: Laboratory) -> None:
    outcome = await preview_json('{"bodies": 3}', artifacts, laboratory)
    assert isinstance(outcome, SimulationFailed)
    assert outcome.reason == "scene_invalid"
    assert "bodies" in outcome.detail


async def test_a_payload_inside_a_wall_is_an_outcome_not_an_exception(
    artifacts: FakeArtifacts, laboratory: Laboratory
) -> None:
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(scenes.block("wall", (0, 0, 0), (50, 50, 50)),))
    seen = await preview(scene, artifacts, laboratory)
    assert isinstance(seen, SimulationFailed)
    assert seen.reason == "initial_penetration"
    tried = await trial(scene, artifacts, laboratory)
    assert isinstance(tried, DesignInvalidated)
    assert [finding.rule for finding in tried.findings] == ["not_simulatable"]
    assert "inside wall" in tried.findings[0].detail


async def test_a_trial_delivers_verdict_replicas_and_media(artifacts: FakeArtifacts, laboratory: Laboratory) -> None:
    scene = scenes.chute_scene()
    outcome = await trial(scene, artifacts, laboratory)
    assert isinstance(outcome, DesignSimulated)
    assert (outcome.result.verdict, outcome.result.stability) == ("solved", "stable")
    assert len(outcome.result.replicas) == 8
    media = outcome.delivery.media
    assert media is not None
    begins = (
        (media.video, b"\0\0\0"),
        (media.poster, b"\x89PNG"),
        (media.glb, b"glTF"),
        (media.trajectory, b"PK"),
        (media.mjcf, b"<mujoco"),
    )
    for ref, beginning in begins:
        assert (await artifacts.get(ref)).startswith(beginning)


async def test_the_same_trial_twice_gives_the_same_result(artifacts: FakeArtifacts, laboratory: Laboratory) -> None:
    first = await trial(scenes.chute_scene(), artifacts, laboratory)
    second = await trial(scenes.chute_scene(), artifacts, Laboratory(threads=1, form=SMALL))
    assert isinstance(first, DesignSimulated)
    assert isinstance(second, DesignSimulated)
    assert first.result == second.result


class SlowLaboratory(Laboratory):
    """Simulates as long as it is held."""

    def __init__(self) -> None:
        super().__init__(threads=2, form=SMALL)
        self.begun, self.let_go = Event(), Event()

    def run(self, scene: Scene, trial: Trial) -> Experiment:
        self.begun.set()
        self.let_go.wait()
        return super().run(scene, trial)


async def test_a_cancelled_simulation_is_dropped_and_holds_nobody_up(
    artifacts: FakeArtifacts, laboratory: Laboratory
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
