"""`simulate` as a critic has it: the submitted scene, run again with another seed."""

from dataclasses import dataclass
from typing import Protocol

from kernel.api.simulation_run import SimulationRun

MOST_REPLICAS = 64
"""Of one call."""


class NotTheDesignError(ValueError):
    """What is to be simulated is not the design under review; a review changes nothing."""


class Reruns(Protocol):
    """What a critic's kernel asks of its host."""

    def rerun(self, seed: int, replicas: int) -> SimulationRun:
        """Return how the submitted scene behaves under a seed."""
        ...


@dataclass(frozen=True)
class Review:
    """The design under review, and who runs it again."""

    design: object
    reruns: Reruns


_connected: list[Review] = []


def connect(review: Review) -> None:
    """Let this process review one design."""
    _connected[:] = [review]


def simulate(design: object, seed: int, replicas: int = 6) -> SimulationRun:
    """Run the submitted scene again: its nominal run, and as many jittered repeats of this seed; print how it went.

    `replicas`: 2 to 64. The same seed gives the same repeats. Raises `NotTheDesignError` for anything but `design`.
    """
    (review,) = _connected
    if design is not review.design:
        raise NotTheDesignError("a review runs the design as it was submitted: simulate(design, seed=7)")
    if not 2 <= replicas <= MOST_REPLICAS:
        raise ValueError(f"replicas={replicas}: a rerun has 2 to {MOST_REPLICAS}; the nominal run is `result`")
    run = review.reruns.rerun(seed, replicas)
    reached = sum(each.ending == "reached_goal" for each in run.replicas)
    print(f"seed {seed}: {reached} of {len(run.replicas)} replicas reached the goal")  # noqa: T201 - the critic reads it
    return run
