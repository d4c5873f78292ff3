"""Is it flaky? Replicas of several seeds, counted together."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from contracts.confidence import wilson_interval
from contracts.model import Model
from contracts.models.simulation import SimulationResult
from pydantic import FiniteFloat, NonNegativeInt

ENOUGH_REPLICAS = 29
"""0.9 to the power of 29 is 0.047: were only 90 % of all runs to succeed, 29 successes in a row would have a
probability below 5 %. Fewer replicas, however well they went, do not rule out a design that fails every tenth time."""
STABLE_FROM = 0.9
"""The share that physics' own verdict calls stable."""


class Assessment(Model):
    """What the replicas of all seeds tell together."""

    verdict: Literal["stable", "flaky", "undecided"]
    """`undecided`: fewer than `ENOUGH_REPLICAS` count."""
    seeds: tuple[int, ...]
    replicas: NonNegativeInt
    """Those that count: what the simulator itself spoiled is left out."""
    reached: NonNegativeInt
    success_rate: FiniteFloat
    confidence: tuple[FiniteFloat, FiniteFloat]
    """Wilson's interval: between which the true rate lies, with 95 % confidence."""
    endings: dict[str, int]
    """How often each ending came, the spoiled ones too."""

    def __str__(self) -> str:
        low, high = self.confidence
        return (
            f"{self.verdict}: {self.reached} of {self.replicas} replicas under {len(self.seeds)} seeds reached the "
            f"goal, {low:.0%} to {high:.0%} with 95 % confidence"
        )

    __repr__ = __str__


def assess(runs: Mapping[int, SimulationResult]) -> Assessment:
    """Count the replicas of runs by their seeds: `assess({seed: simulate(design, seed=seed) for seed in range(5)})`.

    At least 29 replicas must count before a design is called stable or flaky (see `ENOUGH_REPLICAS`).
    """
    endings = Counter(replica.ending for run in runs.values() for replica in run.replicas)
    counted = sum(endings.values()) - endings["numerical"]
    reached = endings["reached_goal"]
    rate = reached / counted if counted else 0.0
    is_enough = counted >= ENOUGH_REPLICAS
    return Assessment(
        verdict="undecided" if not is_enough else "stable" if rate >= STABLE_FROM else "flaky",
        seeds=tuple(sorted(runs)),
        replicas=counted,
        reached=reached,
        success_rate=rate,
        confidence=wilson_interval(reached, counted),
        endings=dict(sorted(endings.items())),
    )
