"""A script of the corpus through the real path: a sandboxed kernel, the judge, and physics."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.loader import load
from cad_worker.host import KernelHost
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult
from documents.observation import observation_markdown
from documents.quote import findings_markdown

from tests.support.benchmark_solver import Bench, Refused
from tests.support.script_corpus.answers import Script

HERE = Path(__file__).parent
MY_DROP = HERE / "my-drop"
"""The benchmark of all scripts."""


@dataclass(frozen=True)
class Answer:
    """What became of a script."""

    message: str = ""
    """Of the cell's error, or of the judge's findings."""
    result: SimulationResult | None = None
    bill: BillOfMaterials | None = None

    def fault(self, script: Script) -> str:
        """Return how it differs from the right answer; empty if it does not."""
        if script.kind == "refused":
            missing = [word for word in script.words if word not in self.message]
            return f"{missing} are not in: {self.message}" if missing or self.result is not None else ""
        if self.result is None:
            return f"refused: {self.message}"
        endings = {self.result.nominal.ending, *(each.ending for each in self.result.replicas)}
        if script.kind == "solved":
            return "" if self.result.is_proven else f"{self.result.verdict} and {self.result.stability}: {endings}"
        broken = endings & {"penetrated", "overloaded", "numerical"}
        nominal = "missed_goal" if script.kind == "missed" else "reached_goal"
        is_right = self.result.nominal.ending == nominal and not broken
        is_right &= script.kind == "missed" or not self.result.is_proven
        return "" if is_right else f"{self.result.nominal.ending}, then {endings}"


def code_of(script: Script) -> str:
    """Return a script's text, with the changes of a variant."""
    code = (HERE / "scripts" / f"{script.of or script.name}.txt").read_text("utf-8")
    for old, new in script.changes:
        assert old in code, old
        code = code.replace(old, new)
    return code


async def answer_to(script: Script, host: KernelHost, replicas: int) -> Answer:
    """Submit a script in the world `my-drop`."""
    bench = Bench(host, replicas)
    submitted = await bench.submit(load(str(MY_DROP), 0), code_of(script))
    if isinstance(submitted, Refused):
        findings = findings_markdown(submitted.findings)
        return Answer(f"{observation_markdown(submitted.observation)}\n{findings}", bill=submitted.bill)
    return Answer(result=submitted.result, bill=submitted.bill)
