"""Machines that a second opinion is sought on: witnesses of the suite, honest designs, cheats and scripts of users."""

from dataclasses import dataclass

import numpy as np
from benchmarks.loader import built_in, file_of, load, read_witness
from cad_worker.host import KernelHost
from cad_worker.job_protocol import Judgement
from contracts.models.scene import Scene

from tests.support.benchmark_solver import Bench
from tests.support.cheats.corpus import CHEATS, HONEST, case
from tests.support.cheats.trial import Trials
from tests.support.script_corpus.answers import SCRIPTS, VARIANTS, Script
from tests.support.script_corpus.trial import MY_DROP, code_of

SUITE_SEEDS = 2


@dataclass(frozen=True)
class Candidate:
    """A design that is a machine if it is valid: only physics can refuse it then."""

    source: str
    name: str
    seed: int = 0
    """Of a benchmark of the suite."""

    @property
    def label(self) -> str:
        """Unique name."""
        return f"{self.source}: {self.name}" + (f" {self.seed}" if self.source == "suite" else "")


@dataclass(frozen=True)
class Machine:
    """A valid design, as physics gets it."""

    label: str
    seed: int
    """Of the replicas."""
    scene: Scene
    part_steps: dict[str, bytes]


def candidates(seed: int) -> list[Candidate]:
    """Return all candidates, by turns one of each source, in an order drawn by a seed."""
    random = np.random.default_rng(seed)
    scripts = [script for script in (*SCRIPTS, *VARIANTS) if script.kind != "refused"]
    sources: tuple[list[Candidate], ...] = (
        [Candidate("suite", name, number) for number in range(SUITE_SEEDS) for name in built_in()],
        [Candidate("honest", each.label) for each in HONEST],
        [Candidate("cheat", each.label) for each in CHEATS],
        [Candidate("script", script.name) for script in scripts],
    )
    drawn: list[list[Candidate]] = [[source[index] for index in random.permutation(len(source))] for source in sources]
    turns = range(max(len(source) for source in drawn))
    return [source[turn] for turn in turns for source in drawn if turn < len(source)]


class Workshop:
    """Builds machines in kernels of one host."""

    def __init__(self, host: KernelHost) -> None:
        self._bench, self._trials = Bench(host, replicas=1), Trials(host, replicas=1)

    async def machine(self, candidate: Candidate) -> Machine | None:
        """Return a candidate's machine; None if the judge refuses it before any simulation."""
        seed, judgement = await self._judged(candidate)
        if judgement.findings or judgement.scene is None:
            return None
        return Machine(candidate.label, seed, judgement.scene, dict(judgement.part_steps))

    async def _judged(self, candidate: Candidate) -> tuple[int, Judgement]:
        if candidate.source in ("honest", "cheat"):
            found = case(candidate.name)
            return found.world.variant.seed, await self._trials.judgement(found)
        if candidate.source == "suite":
            loaded = load(candidate.name, candidate.seed)
            text = read_witness(file_of(candidate.name))
        else:
            loaded, text = load(str(MY_DROP), 0), code_of(_script(candidate.name))
        observation, judgement = await self._bench.judgement(await self._bench.order(loaded), text)
        assert judgement is not None, f"{candidate.label}: {observation.error}"
        return loaded.variant.seed, judgement


def _script(name: str) -> Script:
    (found,) = (script for script in (*SCRIPTS, *VARIANTS) if script.name == name)
    return found
