"""The search baseline: a black-box optimiser that bends a channel from start to goal. No model, no rules of the task.

CMA-ES (the library `cma`) moves the points by which the channel goes. It is a fixed part of the world, as the straight
chute, so that price, mass, strength and assembly do not matter; physics alone scores it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist
from typing import Protocol, cast

import numpy as np
from cma import CMAEvolutionStrategy  # pyright: ignore[reportMissingTypeStubs]
from contracts.models.benchmark import Variant
from contracts.models.geometry import Vector
from contracts.models.scene import Body, Scene
from contracts.models.simulation import SimulationResult
from numpy.typing import NDArray
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from cli.certification.channel import SHARPEST, THICKNESS_MM, BentChannel

POINTS = 2
SPREAD = 0.25
"""First standard deviation of each coordinate, as a share of the build zone and of the drop."""
CLEAR_MM = 1.0
LABEL = "channel"


class _Evolution(Protocol):
    """What is used of `cma`, which has no types."""

    def ask(self) -> Sequence[NDArray[np.float64]]: ...
    def tell(self, solutions: Sequence[NDArray[np.float64]], function_values: Sequence[float], /) -> None: ...


@dataclass(frozen=True)
class SearchReport:
    """What a search found in a world."""

    points: tuple[Vector, ...] = ()
    """Of the best channel's floor."""
    result: SimulationResult | None = None
    """Of the best channel, without replicas if its run without jitter fails. None: no channel could be simulated."""
    trials: int = 0
    """Channels that were tried."""

    @property
    def is_solved(self) -> bool:
        """Whether the best channel solves the world as robustly as a design must."""
        return self.result is not None and self.result.is_proven


def search_channel(trial: "ChannelTrial", limit: int, seed: int = 0) -> SearchReport:
    """Bend a channel until it solves a world as robustly as a design must, or `limit` channels were tried.

    Equal seeds try the same channels.
    """
    options = {"bounds": [0.0, 1.0], "seed": seed + 1, "verbose": -9}
    evolution = cast("_Evolution", CMAEvolutionStrategy(_straight(trial.variant), SPREAD, options))
    best, lowest, tried = SearchReport(), np.inf, 0
    while tried < limit and not best.is_solved:
        shares, losses = evolution.ask(), list[float]()
        for each in shares[: limit - tried]:
            points = points_of(each, trial.variant)
            result, loss = trial.score(points)
            tried += 1
            losses.append(loss)
            if loss < lowest:
                best, lowest = SearchReport(points, result), loss
            if best.is_solved:
                break
        if len(losses) == len(shares):
            evolution.tell(shares, losses)
    return SearchReport(best.points, best.result, tried)


@dataclass(frozen=True)
class ChannelTrial:
    """A world that channels are tried in."""

    variant: Variant
    scene: Scene
    replicas: int
    simulator: Simulator

    def score(self, points: tuple[Vector, ...]) -> tuple[SimulationResult | None, float]:
        """Return what a channel achieves, and its loss: -1 solves all replicas, 0 the run without jitter, more none."""
        channel = channel_of(points, self.variant)
        excess = max(0.0, channel.sharpest_turn - SHARPEST) + self._intrusion(channel)
        if excess:
            return None, 1.0 + excess
        body = Body(label=LABEL, origin="environment", geoms=channel.geoms(), friction=0.4)
        scene = self.scene.model_copy(update={"bodies": (*self.scene.bodies, body)})
        try:
            result = self.simulator.simulate(scene, SimulationSettings(1, self.variant.seed)).result
            if result.verdict == "solved":
                settings = SimulationSettings(self.replicas, self.variant.seed)
                result = self.simulator.simulate(scene, settings).result
        except SceneRejectedError:
            return None, 2.0
        if result.verdict == "solved":
            return result, -result.success_rate
        end = result.nominal.goal_distance_mm or 0.0
        near = (result.nominal.closest_goal_mm + end / 10) / dist(
            self.variant.bounds.min_mm, self.variant.bounds.max_mm
        )
        return result, min(1.0, near)

    def _intrusion(self, channel: BentChannel) -> float:
        """Return the share of the channel's length that reaches into a forbid zone of the machine."""
        ways = np.linspace(channel.points[:-1], channel.points[1:], 20).reshape(-1, 3)
        beside = channel.half_width_mm + THICKNESS_MM
        below, above = (beside, beside, THICKNESS_MM), (beside, beside, channel.height_mm)
        inside = np.zeros(len(ways), dtype=bool)
        for zone in self.variant.forbid_zones:
            if zone.binds != "payload":
                reach = (ways + above > zone.box.min_mm) & (ways - below < zone.box.max_mm)
                inside |= reach.all(axis=1)
        return float(inside.mean())


def channel_of(points: tuple[Vector, ...], variant: Variant) -> BentChannel:
    """Return the channel along points that is wide enough for the payload and its jitter."""
    extent = max(variant.payload.extents_mm)
    half_width = extent / 2 + variant.replica_jitter_mm + CLEAR_MM
    return BentChannel(points, half_width, 2.5 * extent, half_width + extent / 4, 0.8 * extent)


def points_of(shares: NDArray[np.float64], variant: Variant) -> tuple[Vector, ...]:
    """Return the floor's points from the start to the goal, by way of `POINTS` in between.

    Of those each has three shares: of the build zone along x and y, and of the drop.
    """
    payload, goal = variant.payload, variant.goal_zone
    low, high = np.array(variant.build_zone.min_mm), np.array(variant.build_zone.max_mm)
    x, y, _ = payload.start_mm
    top = payload.box.min_mm[2] - variant.replica_jitter_mm - CLEAR_MM
    bottom = max(goal.center_mm[2] - max(payload.extents_mm) / 2, goal.min_mm[2] + 4.0)
    ways = shares.reshape(POINTS, 3)
    drops = np.sort(ways[:, 2])
    between = [
        (*(low + way * (high - low))[:2].tolist(), float(top - drop * (top - bottom)))
        for way, drop in zip(ways, drops, strict=True)
    ]
    return (x, y, top), *between, (goal.center_mm[0], goal.center_mm[1], bottom)


def _straight(variant: Variant) -> NDArray[np.float64]:
    """Return the shares of points that divide the line from start to goal into equal pieces."""
    low, high = np.array(variant.build_zone.min_mm), np.array(variant.build_zone.max_mm)
    start, goal = np.array(variant.payload.start_mm), np.array(variant.goal_zone.center_mm)
    ways = np.arange(1, POINTS + 1)[:, None] / (POINTS + 1)
    shares = (start + ways * (goal - start) - low) / (high - low)
    shares[:, 2:] = ways
    return np.clip(shares, 0.0, 1.0).reshape(-1)
