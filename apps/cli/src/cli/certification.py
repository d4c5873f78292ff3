"""Certifies worlds of a benchmark: each is valid, and its witness solves it under the rules that bind an engineer.

The witness is Python of the benchmark's author; it runs in a sandboxed kernel, as everything that builds solids does.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from cad_worker.host import KernelHost
from cad_worker.job_protocol import JUDGE, DesignRequest, Judgement
from cad_worker.session_protocol import CheckAnswer, CheckCall, KernelCall, QuoteCall, SessionOrder, SimulationAnswer
from cad_worker.sessions.session import Cell
from contracts.models.benchmark import Assignment
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult
from documents.observation import observation_markdown
from pydantic import BaseModel
from sandbox.jobs import JobFailedError
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from cli.world_checks import World, WorldReport, check_one

WITNESS_TIMEOUT_S = 120.0
SUBMISSION = "\nfrom utils import submit_for_review\nsubmit_for_review(assembly)\n"


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


class _WitnessRejectedError(Exception):
    """The witness submitted nothing, or the judge refused what it submitted."""


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
    assignment = Assignment(variant=variant, limits=loaded.file.limits)
    order = SessionOrder(assignment=assignment, environment=report.files.geometry)
    try:
        judgement = await host.examine(JUDGE, await _submitted(order, witness, host))
    except (_WitnessRejectedError, JobFailedError) as rejection:
        return Certificate(report, str(rejection))
    settings = SimulationSettings(replicas, variant.seed)
    return await asyncio.to_thread(_simulate, report, judgement, settings, simulator)


def _simulate(
    report: WorldReport, judgement: Judgement, settings: SimulationSettings, simulator: Simulator
) -> Certificate:
    if judgement.findings or judgement.scene is None:
        found = "; ".join(f"{each.rule}: {each.detail}" for each in judgement.findings)
        return Certificate(report, f"the witness is refused: {found or 'it gave no scene'}", judgement.bill)
    try:
        result = simulator.simulate(judgement.scene, settings).result
    except SceneRejectedError as rejection:
        return Certificate(report, f"the witness cannot be simulated: {rejection.detail}", judgement.bill)
    return Certificate(report, "" if result.is_proven else _failure(result), judgement.bill, result)


async def _submitted(order: SessionOrder, witness: str, host: KernelHost) -> DesignRequest:
    """Return the design that the witness submits in a kernel of its own."""

    async def answer(wanted: KernelCall, _ordinal: int) -> BaseModel:
        if isinstance(wanted, QuoteCall):
            return await host.quote(wanted, order)
        if isinstance(wanted, CheckCall):
            return CheckAnswer()  # the judge lists what is wrong
        return SimulationAnswer(problem="a witness is certified without previews")

    session = await host.open_session(order, {}, {})
    try:
        outcome = await session.run(Cell(witness + SUBMISSION, "witness", 0, WITNESS_TIMEOUT_S), answer)
    finally:
        await session.close()
    if outcome.submitted is None:
        raise _WitnessRejectedError(f"the witness submitted nothing:\n{observation_markdown(outcome.observation)}")
    return DesignRequest(design=outcome.submitted, environment=order.environment, assignment=order.assignment)


def _failure(result: SimulationResult) -> str:
    share = f"{result.success_rate:.0%} of {len(result.replicas)} replicas reach the goal"
    return f"the witness does not solve it robustly: {result.verdict}, {result.stability}, {share}"
