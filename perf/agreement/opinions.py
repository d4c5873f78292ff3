"""What three settings of the simulator, and CalculiX, think of one machine."""

import time

from contracts.model import Model
from contracts.models.simulation import SimulationResult
from sim_worker.judge.criteria import Criteria
from sim_worker.model import Numerics, compile_scene
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator, run_nominal
from sim_worker.structure.peak_stress import PeakSearch
from sim_worker.structure.solids import Solids

from perf.agreement.machines import Machine
from tests.support.cheats.trial import refusal
from tests.support.strength.calculix import CCX, Agreement, agreements

ALLOWED = 0.005
"""By which CalculiX may differ."""
LEAST_SHARE = 1e-3
"""Of its limit that a part bears, below which nothing is to be compared."""
USUAL = "usual"
NUMERICS = {
    USUAL: Numerics(),
    "half step": Numerics(refinement=2),
    "other solver": Numerics(solver="cg", cone="pyramidal"),
}


class Opinion(Model):
    """The verdict under one setting."""

    rules: tuple[str, ...]
    """Endings, or the critic's rule of motors, for which it is not accepted; empty: it is accepted."""
    cause: str = ""
    success_rate: float = 0.0
    time_s: float = 0.0
    """Of the decision in the run without jitter."""
    peak_use: float = 0.0
    """The greatest share of a limit that a part or connection reaches there."""
    peak_of: str = ""

    @property
    def is_accepted(self) -> bool:
        return not self.rules


class SolidOpinion(Model):
    """What CalculiX thinks of the most stressed part, of those that finite elements looked at if they did."""

    part: str
    is_judged: bool = True
    """Whether finite elements decided about it; else they are asked now."""
    agreement: Agreement


class Record(Model):
    """A line of the file of results."""

    label: str
    opinions: dict[str, Opinion]
    """By the name of the setting; empty if the judge refuses it before any simulation."""
    solid: SolidOpinion | None = None
    seconds: float = 0.0

    @property
    def is_turned(self) -> bool:
        """Whether one setting accepts what another refuses."""
        return len({opinion.is_accepted for opinion in self.opinions.values()}) > 1


def opinions_on(machine: Machine, replicas: int) -> Record:
    """Judge a machine under all settings, with the same jitter."""
    began = time.perf_counter()
    opinions: dict[str, Opinion] = {}
    solid: SolidOpinion | None = None
    for name, numerics in NUMERICS.items():
        simulator = Simulator(threads=1, numerics=numerics)
        settings = SimulationSettings(replicas, machine.seed)
        try:
            record = simulator.simulate(machine.scene, settings, solids=machine.part_steps)
        except SceneRejectedError as rejection:
            opinions[name] = Opinion(rules=("not_simulatable",), cause=rejection.detail)
            continue
        opinions[name] = _opinion(machine, record.result)
        if name == USUAL and CCX:
            solid = _by_calculix(machine, {part.label for part in record.result.parts if part.is_by_solid})
    return Record(label=machine.label, opinions=opinions, solid=solid, seconds=time.perf_counter() - began)


def _opinion(machine: Machine, result: SimulationResult) -> Opinion:
    rules, cause = refusal(machine.scene, result)
    uses = {part.label: part.load_ratio for part in result.parts}
    uses |= {load.label: load.load_ratio or 0.0 for load in result.loads}
    peak_of = max(uses, key=lambda label: uses[label], default="")
    return Opinion(
        rules=rules,
        cause=cause,
        success_rate=result.success_rate,
        time_s=result.nominal.time_s,
        peak_use=uses.get(peak_of, 0.0),
        peak_of=peak_of,
    )


def _by_calculix(machine: Machine, by_solid: set[str]) -> SolidOpinion | None:
    """Solve the analysis that the judge asked for, or would ask for, on the same last mesh."""
    world = compile_scene(machine.scene)
    parts = Criteria.of(machine.scene, world.layout).parts
    peaks = PeakSearch(world, parts).nominal(run_nominal(world).readings)
    loaded = [label for label in machine.part_steps if label in peaks and peaks[label].share > LEAST_SHARE]
    if not loaded:
        return None
    label = max(loaded, key=lambda label: (label in by_solid, peaks[label].share))
    (found,) = agreements(list(Solids(world, parts, machine.part_steps).analyses([label], peaks).values()))
    return None if found is None else SolidOpinion(part=label, is_judged=label in by_solid, agreement=found)
