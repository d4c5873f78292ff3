"""Reruns of the submitted scene under other seeds, and the stability that their replicas show together."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from contracts.confidence import wilson_interval
from contracts.model import Model
from contracts.models.simulation import SimulationResult
from pydantic import FiniteFloat, NonNegativeInt

from kernel.api.simulation_run import SimulationRun

MAX_REPLICAS = 64
"""Of one call."""
ENOUGH_REPLICAS = 29
"""0.9 to the power of 29 is 0.047: at a success rate of 90 %, 29 successes in a row have a probability below 5 %.
Fewer replicas, however successful, do not rule out a design that fails every tenth time."""
STABLE_FROM = 0.9
"""Success rate from which the simulator's own verdict is stable."""


class NotTheDesignError(ValueError):
    """The object to simulate is not the design under review; a review changes nothing."""


@dataclass(frozen=True)
class Review:
    """The design under review, and the host's tool that runs it again with a seed and a number of replicas."""

    design: object
    rerun: Callable[[int, int], SimulationRun]


_connected: list[Review] = []


def connect(review: Review) -> None:
    """Let this process review one design."""
    _connected[:] = [review]


def simulate(design: object, seed: int, replicas: int = 6) -> SimulationRun:
    """Run the submitted scene again: its nominal run and jittered replicas of this seed; print how many succeeded.

    `replicas`: 2 to 64. The same seed gives the same replicas. Raises `NotTheDesignError` for anything but `design`.
    """
    (review,) = _connected
    if design is not review.design:
        raise NotTheDesignError("a review runs the design as it was submitted: simulate(design, seed=7)")
    if not 2 <= replicas <= MAX_REPLICAS:
        raise ValueError(f"replicas={replicas}: a rerun has 2 to {MAX_REPLICAS}; the nominal run is `result`")
    run = review.rerun(seed, replicas)
    reached = sum(replica.ending == "reached_goal" for replica in run.replicas)
    print(f"seed {seed}: {reached} of {len(run.replicas)} replicas reached the goal")  # noqa: T201 - the critic reads it
    return run


class Assessment(Model):
    """Stability of a design over the replicas of all seeds."""

    verdict: Literal["stable", "flaky", "undecided"]
    """`undecided`: fewer than `ENOUGH_REPLICAS` count."""
    seeds: tuple[int, ...]
    replicas: NonNegativeInt
    """Those that count: numerical failures of the simulator are left out."""
    reached: NonNegativeInt
    success_rate: FiniteFloat
    confidence: tuple[FiniteFloat, FiniteFloat]
    """Wilson's interval of the true rate, with 95 % confidence."""
    endings: dict[str, int]
    """Number of replicas by ending, numerical failures included."""

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
