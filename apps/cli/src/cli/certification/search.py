"""The search baseline: a black-box optimiser that bends the straight chute. No model, no rules of the task.

CMA-ES (the library `cma`) moves the points by which the chute goes; physics alone scores a chute.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from cad_worker.host import KernelHost
from cma import CMAEvolutionStrategy  # pyright: ignore[reportMissingTypeStubs]
from contracts.models.benchmark import Variant
from numpy.typing import NDArray
from sim_worker.simulator import Simulator

from cli.certification.baseline import BaselineReport, try_baseline
from cli.certification.world_checks import World

POINTS = 2
POPULATION = 8
SPREAD = 0.25
"""First standard deviation of each coordinate, as a share of the build zone."""
NOT_SIMULATED = 2.0

Point = tuple[float, float, float]


class _Evolution(Protocol):
    """What is used of `cma`, which has no types."""

    def ask(self) -> Sequence[NDArray[np.float64]]: ...
    def tell(self, solutions: Sequence[NDArray[np.float64]], function_values: Sequence[float], /) -> None: ...


@dataclass(frozen=True)
class SearchReport:
    """What the search found in a world."""

    best: BaselineReport
    via_mm: tuple[Point, ...]
    """The points of the best chute."""
    trials: int
    """Chutes that were built and simulated, the straight one included."""


async def search_chute(  # noqa: PLR0913, PLR0917 - as `try_baseline`, with its limit and seed
    world: World, replicas: int, host: KernelHost, simulator: Simulator, trials: int, seed: int = 0
) -> SearchReport:
    """Bend the chute until it solves the world as robustly as a design must, or `trials` chutes were tried.

    The straight chute is the first one; equal seeds try the same chutes.
    """
    variant = world[1]
    best, best_via, tried = await try_baseline(world, replicas, host, simulator), (), 1
    lowest = loss_of(best, variant)
    options = {"popsize": POPULATION, "bounds": [0.0, 1.0], "seed": seed + 1, "verbose": -9}
    evolution = cast("_Evolution", CMAEvolutionStrategy(_straight(variant), SPREAD, options)
    while tried < trials and not best.is_solved:
        shares, losses = evolution.ask(), list[float]()
        for each in shares:
            via_mm = points_of(each, variant)
            report = await try_baseline(world, replicas, host, simulator, via_mm)
            tried += 1
            losses.append(loss_of(report, variant))
            if losses[-1] < lowest:
                best, best_via, lowest = report, via_mm, losses[-1]
            if tried >= trials or best.is_solved:
                break
        else:
            evolution.tell(shares, losses)
    return SearchReport(best, best_via, tried)


def loss_of(report: BaselineReport, variant: Variant) -> float:
    """Return how far a chute is from a solution: 0 or less solves the nominal run, -1 all replicas as well."""
    result = report.result
    if result is None:
        return NOT_SIMULATED
    if result.verdict == "solved":
        return -result.success_rate if result.replicas else 0.0
    return min(1.0, result.nominal.closest_goal_mm / float(np.linalg.norm(variant.bounds.size_mm)))


def points_of(shares: NDArray[np.float64], variant: Variant) -> tuple[Point, ...]:
    """Return points from their shares of the build zone, three each; 0 is its lower end."""
    low, high = np.array(variant.build_zone.min_mm), np.array(variant.build_zone.max_mm)
    points = low + shares.reshape(POINTS, 3) * (high - low)
    return tuple((float(x), float(y), float(z)) for x, y, z in points.round(2))


def _straight(variant: Variant) -> NDArray[np.float64]:
    """Return the shares of points that divide the line from start to goal into equal pieces."""
    low, high = np.array(variant.build_zone.min_mm), np.array(variant.build_zone.max_mm)
    start, goal = np.array(variant.payload.start_mm), np.array(variant.goal_zone.center_mm)
    ways = np.arange(1, POINTS + 1)[:, None] / (POINTS + 1)
    shares: NDArray[np.float64] = np.clip((start + ways * (goal - start) - low) / (high - low), 0.0, 1.0).reshape(-1)
    return shares
