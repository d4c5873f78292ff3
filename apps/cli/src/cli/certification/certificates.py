"""Certifies worlds of a benchmark: each is valid, and its witness solves it under the rules that bind an engineer.

The witness is Python of the benchmark's author; it runs in a sandboxed kernel, as everything that builds solids does.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from cad_worker.drafts.witness import WitnessRejectedError, judge_witness, refusal_of
from cad_worker.host import KernelHost
from cad_worker.job_protocol import Judgement
from cad_worker.session_protocol import SessionOrder
from contracts.models.benchmark import Assignment
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult
from sandbox.jobs import JobFailedError
from sim_worker.rejection import SceneRejectedError
from sim_worker.report.robustness import failure_of_witness
from sim_worker.simulator import SimulationSettings, Simulator

from cli.certification.world_checks import World, WorldReport, check_one


@dataclass(frozen=True)
class Certificate:
    """What is known of one world."""

    world: WorldReport
    fault: str = ""
    """Why the world is not certified; empty if it is."""
    bill: BillOfMaterials | None = None
    """Of the witness; None if it was not judged, or refused."""
    result: SimulationResult | None = None
    """Of the witness and its replicas; None if it was not simulated."""


async def certify_worlds(
    worlds: Mapping[str, World], witness: str, replicas: int, host: KernelHost
) -> AsyncGenerator[Certificate]:
    """Yield the certificate of each world."""
    simulator = Simulator(threads=os.cpu_count() or 1)
    for name, world in worlds.items():
        yield await certify_world(name, world, witness, replicas, host, simulator)


async def certify_world(  # noqa: PLR0913, PLR0917 - a world, its witness, and what judges it
    name: str, world: World, witness: str, replicas: int, host: KernelHost, simulator: Simulator
) -> Certificate:
    """Return the certificate of one world."""
    loaded, variant = world
    report = await check_one(name, loaded.environment_code, variant, host)
    if report.fault or report.files is None:
        return Certificate(report, report.fault)
    assignment = Assignment(variant=variant, limits=loaded.limits)
    order = SessionOrder(assignment=assignment, environment=report.files.geometry)
    try:
        judgement = await judge_witness(witness, order, host)
    except (WitnessRejectedError, JobFailedError) as rejection:
        return Certificate(report, str(rejection))
    settings = SimulationSettings(replicas, variant.seed)
    return await asyncio.to_thread(_simulate, report, judgement, settings, simulator)


def _simulate(
    report: WorldReport, judgement: Judgement, settings: SimulationSettings, simulator: Simulator
) -> Certificate:
    refusal = refusal_of(judgement)
    if refusal or judgement.scene is None:
        return Certificate(report, refusal, judgement.bill)
    try:
        result = simulator.simulate(judgement.scene, settings, solids=judgement.part_steps).result
    except SceneRejectedError as rejection:
        return Certificate(report, f"the witness cannot be simulated: {rejection.detail}", judgement.bill)
    return Certificate(report, failure_of_witness(result), judgement.bill, result)
