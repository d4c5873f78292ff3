"""Reruns of the submitted scene under other seeds, and the stability that their replicas show together."""

from collections.abc import Callable
from dataclasses import dataclass

from contracts.models.assessment import Assessment

from kernel.api.simulation_run import SimulationRun

MAX_REPLICAS = 64
"""Of one call."""
MAX_RERUNS = 40
"""Of one review."""


class NotTheDesignError(ValueError):
    """The object to simulate is not the design under review; a review changes nothing."""


@dataclass(frozen=True)
class Review:
    """The design under review, and the host's tools."""

    design: object
    rerun: Callable[[int, int], SimulationRun]
    """Runs it again with a seed and a number of replicas."""
    assess: Callable[[], Assessment]
    verdict_seed: int
    """Reruns under it do not count."""


_connected: list[Review] = []


def connect(review: Review) -> None:
    """Let this process review one design."""
    _connected[:] = [review]


def simulate(design: object, seed: int, replicas: int = 6) -> SimulationRun:
    """Run the submitted scene again: its nominal run and 2 to 64 jittered replicas of this seed; print how many
    succeeded. At most 40 times.

    The same seed gives the same replicas. Raises `NotTheDesignError` for anything but `design`.
    """
    (review,) = _connected
    if design is not review.design:
        raise NotTheDesignError("a review runs the design as it was submitted: simulate(design, seed=7)")
    if not 2 <= replicas <= MAX_REPLICAS:
        raise ValueError(f"replicas={replicas}: a rerun has 2 to {MAX_REPLICAS}; the nominal run is `result`")
    run = review.rerun(seed, replicas)
    reached = sum(replica.ending == "reached_goal" for replica in run.replicas)
    note = "; not counted, the verdict had this seed" if seed == review.verdict_seed else ""
    print(f"seed {seed}: {reached} of {len(run.replicas)} replicas reached the goal{note}")  # noqa: T201 - the critic reads it
    return run


def assess() -> Assessment:
    """Count the replicas of all reruns of this review, each seed once; the host counts what it has answered.

    The seed of the verdict does not count: its replicas are those of `result`. An approval names the result: at least
    29 replicas under 5 seeds, 90 % of them successful.
    """
    (review,) = _connected
    return review.assess()
