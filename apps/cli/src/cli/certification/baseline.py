"""The straight-ramp baseline: a world that one straight chute solves asks for no engineering.

The chute is a part of the environment, so that price, mass, strength and assembly do not matter; only physics judges.
"""

import asyncio
from dataclasses import dataclass

from benchmarks.loader import BASELINE
from cad_worker.host import KernelHost
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from sandbox.jobs import JobFailedError
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from cli.certification.world_checks import World


@dataclass(frozen=True)
class BaselineReport:
    """What the straight chute achieves in a world."""

    result: SimulationResult | None = None
    """Without replicas if the run without jitter fails. None: the chute or the world with it cannot be simulated."""
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
        return BaselineReport(await asyncio.to_thread(_simulate, build.files.scene, settings, simulator))
    except SceneRejectedError as rejection:
        return BaselineReport(problem=f"{rejection.reason}: {rejection.detail}")


def _simulate(scene: Scene, settings: SimulationSettings, simulator: Simulator) -> SimulationResult:
    """Run the replicas only if the run without jitter arrives: nothing else can be proven, and they are what costs."""
    nominal = simulator.simulate(scene, SimulationSettings(1, settings.seed)).result
    return simulator.simulate(scene, settings).result if nominal.verdict == "solved" else nominal
