"""The handlers of worlds: one is checked once its environment is built, those of a drafted benchmark are certified."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from artifacts.port import ArtifactStore, get_json
from contracts.envelope import answering
from contracts.events.benchmark import (
    BuiltWorld,
    CertificationCompleted,
    CertificationRequested,
    DraftBuilt,
    DraftCertified,
    DraftFinding,
    DraftRefused,
    WitnessRun,
    WorldCertificate,
)
from contracts.events.run import EnvironmentBuilt, WorldChecked, WorldRefused
from contracts.models.scene import Scene
from pydantic import ValidationError

from sim_worker.handlers import NAME, simulate_stored
from sim_worker.rejection import SceneRejectedError
from sim_worker.report.robustness import failure_of_witness
from sim_worker.run.cancellation import run_in_thread
from sim_worker.simulator import SimulationSettings, Simulator
from sim_worker.world_check import WorldRefusedError, check_world

MAX_FINDINGS = 3
"""A draft with so many worlds that failed is not examined further."""
SUMMARY_CHARS = 1_500
"""Of a simulation that failed."""
_NO_SCENE = "it was built by an older version of cad-worker, which stored no scene; run the command again"


class _Certified(NamedTuple):
    """A certified world, and its witness's nominal run."""

    world: WorldCertificate
    run: WitnessRun


async def check_environment(built: EnvironmentBuilt, artifacts: ArtifactStore) -> WorldChecked | WorldRefused:
    """Simulate the environment without a machine, in a thread, so that the service stays responsive."""
    started = time.monotonic()
    if built.scene is None:
        return WorldRefused(**answering(built, NAME), reason="scene_invalid", detail=_NO_SCENE)
    try:
        scene = await get_json(artifacts, built.scene, Scene)
        checked = await run_in_thread(lambda cancellation: check_world(scene, cancellation))
    except ValidationError as error:
        detail = f"the scene is malformed: {error.errors(include_url=False, include_input=False)[0]['msg']}"
        return WorldRefused(**answering(built, NAME), reason="scene_invalid", detail=detail)
    except WorldRefusedError as refusal:
        return WorldRefused(**answering(built, NAME), reason=refusal.reason, detail=refusal.detail)
    return WorldChecked(
        **answering(built, NAME),
        environment=built.environment,
        without_machine=checked.without_machine,
        check_s=time.monotonic() - started,
    )


async def certify_draft(
    built: DraftBuilt, artifacts: ArtifactStore, simulator: Simulator
) -> DraftCertified | DraftRefused:
    """Certify every world of a draft, or refuse it."""
    certified, findings = await _certify(built.worlds, built.brief.replicas, artifacts, simulator)
    if findings:
        return DraftRefused(**answering(built, NAME), findings=tuple(findings), passed=len(certified))
    return DraftCertified(
        **answering(built, NAME),
        brief=built.brief,
        model=built.model,
        plan_md=built.plan_md,
        draft=built.draft,
        has_motion=built.has_motion,
        worlds=tuple(each.world for each in certified),
        weakest=min(certified, key=lambda each: each.world.success_rate).run,
    )


async def certify_worlds(
    request: CertificationRequested, artifacts: ArtifactStore, simulator: Simulator
) -> CertificationCompleted:
    """Certify the worlds that an author tests, as those of a draft."""
    certified, findings = await _certify(request.worlds, request.replicas, artifacts, simulator)
    worlds = tuple(each.world for each in certified)
    return CertificationCompleted(**answering(request, NAME), worlds=worlds, findings=tuple(findings))


async def _certify(
    worlds: Sequence[BuiltWorld], replicas: int, artifacts: ArtifactStore, simulator: Simulator
) -> tuple[list[_Certified], list[DraftFinding]]:
    """Check each world without a machine, then simulate its witness with replicas, one world after the other."""
    certified: list[_Certified] = []
    findings: list[DraftFinding] = []
    for world in worlds:
        if len(findings) >= MAX_FINDINGS:
            break
        found = await _certificate(world, SimulationSettings(replicas, world.seed), artifacts, simulator)
        if isinstance(found, DraftFinding):
            findings.append(found)
        else:
            certified.append(found)
    return certified, findings


async def _certificate(
    world: BuiltWorld, settings: SimulationSettings, artifacts: ArtifactStore, simulator: Simulator
) -> _Certified | DraftFinding:
    """Return the certificate of one world, or why it has none."""
    empty = await get_json(artifacts, world.environment_scene, Scene)
    try:
        checked = await run_in_thread(lambda cancellation: check_world(empty, cancellation))
    except WorldRefusedError as refusal:
        return DraftFinding(stage="world", seed=world.seed, detail=f"{refusal.reason}: {refusal.detail}")
    steps, witness = world.part_steps, world.witness_scene
    try:
        scene, record = await simulate_stored(witness, steps, settings, artifacts, simulator)
    except SceneRejectedError as rejection:
        return DraftFinding(stage="simulation", seed=world.seed, detail=f"{rejection.reason}: {rejection.detail}")
    result = record.result
    if failure := failure_of_witness(result):
        detail = f"{failure}\n{result.summary_md[:SUMMARY_CHARS]}"
        return DraftFinding(stage="simulation", seed=world.seed, detail=detail)
    certificate = WorldCertificate(
        seed=world.seed,
        without_machine=checked.without_machine,
        success_rate=result.success_rate,
        replicas=len(result.replicas),
        reached_after_s=result.nominal.time_s,
        unit_price_usd=world.unit_price_usd,
        mass_kg=world.mass_kg,
        parts=world.parts,
    )
    run = WitnessRun(seed=world.seed, scene=scene, trajectory_digest=result.trajectory_digest)
    return _Certified(certificate, run)
