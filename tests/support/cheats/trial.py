"""A case through the real path without a model: script in a sandboxed kernel, judge, replicas, the motors' reserve."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter

from cad_worker.host import KernelHost
from cad_worker.job_protocol import JUDGE, Judgement
from cad_worker.session_protocol import SessionOrder
from contracts.models.benchmark import Assignment, Limits
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from design_rules.design_data import DesignRequest, EnvironmentGeometry
from documents.observation import observation_markdown
from kernel.api.reviews.load_ratios import overloads
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.benchmark_solver import kernels
from tests.support.cheats.case import Case, World

REPLICAS = 32
NEAR_STALL = "near_stall"
"""The one overload that does not end a replica: the critic rejects a motor that works near its stall for too long."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    case: Case
    refused_by: tuple[str, ...]
    """Rules of findings, endings of replicas that did not reach the goal, or the critic's rule of motors; empty if the
    design was accepted."""
    detail: str
    """The first finding or cause."""
    success_rate: float
    seconds: float

    @property
    def is_accepted(self) -> bool:
        """Whether physics called it solved and stable, without a finding, and the critic no motor overloaded."""
        return not self.refused_by

    @property
    def is_expected(self) -> bool:
        """Whether a cheat was refused by one of its rules, or an honest design accepted."""
        if not self.case.refused_by:
            return self.is_accepted
        return not set(self.case.refused_by).isdisjoint(self.refused_by)


class Trials:
    """Tries one case after another."""

    def __init__(self, host: KernelHost, replicas: int) -> None:
        self._host = host
        self._replicas = replicas
        self._simulator = Simulator(threads=1)
        self._built: dict[str, EnvironmentGeometry] = {}

    async def run(self, case: Case) -> Outcome:
        """Return the outcome of a case; raise `AssertionError` if its world or its script is faulty."""
        began = perf_counter()
        rules, detail, rate = await self._try(case)
        return Outcome(case, rules, detail, rate, perf_counter() - began)

    async def _try(self, case: Case) -> tuple[tuple[str, ...], str, float]:
        judgement = await self.judgement(case)
        if judgement.findings or judgement.scene is None:
            rules = tuple(dict.fromkeys(finding.rule for finding in judgement.findings))
            return rules, judgement.findings[0].detail, 0.0
        settings = SimulationSettings(self._replicas, case.world.variant.seed)
        try:
            result = self._simulator.simulate(judgement.scene, settings, solids=judgement.part_steps).result
        except SceneRejectedError as rejection:
            return ("not_simulatable",), rejection.detail, 0.0
        return *refusal(judgement.scene, result), result.success_rate

    async def judgement(self, case: Case) -> Judgement:
        """Return what the judge finds about a case before any simulation."""
        assignment = Assignment(variant=case.world.variant, limits=Limits())
        environment = await self._environment(case.world)
        order = SessionOrder(assignment=assignment, environment=environment)
        script = await self._host.run_script({"script.py": case.script}, order)
        assert script.design is not None, f"{case.label}: {observation_markdown(script.observation)}"
        design = DesignRequest(design=script.design, environment=environment, assignment=assignment)
        return await self._host.examine(JUDGE, design)

    async def _environment(self, world: World) -> EnvironmentGeometry:
        """Build each environment once."""
        if world.code not in self._built:
            build = await self._host.build_environment(world.code, world.variant)
            assert build.files is not None, build.fault
            self._built[world.code] = build.files.geometry
        return self._built[world.code]


def refusal(scene: Scene, result: SimulationResult) -> tuple[tuple[str, ...], str]:
    """Return why a result is not accepted, endings or the critic's rule of motors, and the first one's cause."""
    if result.verdict == "solved" and result.stability == "stable":
        reasons = overloads(scene, result)
        return ((NEAR_STALL,), reasons[0]) if reasons else ((), "")
    failed = [each for each in (result.nominal, *result.replicas) if each.ending != "reached_goal"]
    endings = [f"{each.ending}:{each.touched}" if each.touched else each.ending for each in failed]
    cause = failed[0].cause if failed else ""
    return tuple(dict.fromkeys([*endings, result.stability])), cause


@asynccontextmanager
async def trials(replicas: int = REPLICAS) -> AsyncGenerator[Trials]:
    """Yield a place to try cases, with kernels of its own."""
    async with kernels() as host:
        yield Trials(host, replicas)
