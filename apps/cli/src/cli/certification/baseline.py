"""The straight-ramp baseline: a world that one straight chute solves asks for no engineering.

The chute is a part of the environment, so that price, mass, strength and assembly do not matter; only physics judges.
"""

import asyncio
from dataclasses import dataclass

from benchmarks.loader import BASELINE
from cad_worker.host import KernelHost
from contracts.models.simulation import SimulationResult
from sandbox.jobs import JobFailedError
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from cli.certification.world_checks import World


@dataclass(frozen=True)
class BaselineReport:
    """What the straight chute achieves in a world."""

    result: SimulationResult | None = None
    """None: the chute could not be built, or the world with it not be simulated."""
    problem: str = ""
    """Why `result` is missing."""

    @property
    def is_solved(self) -> bool:
        """Whether the chute solves the world as robustly as a design must."""
        return self.result is not None and self.result.is_proven


async def try_baseline(world: World, replicas: int, host: KernelHost, simulator: Simulator) -> BaselineReport:
    """Build the chute into a world, and simulate it with jittered replicas of the payload."""
    loaded, variant = world
    code = loaded.environment_code.decode() + "\n\n" + BASELINE.read_text(encoding="utf-8")
    try:
        build = await host.build_environment(code, variant)
    except JobFailedError as error:
        return BaselineReport(problem=str(error))
    if build.files is None:
        fault = build.fault
        return BaselineReport(problem="nothing was built" if fault is None else f"{fault.reason}: {fault.detail}")
    settings = SimulationSettings(replicas, variant.seed)
    try:
        record = await asyncio.to_thread(simulator.simulate, build.files.scene, settings)
    except SceneRejectedError as rejection:
        return BaselineReport(problem=f"{rejection.reason}: {rejection.detail}")
    return BaselineReport(record.result)
