"""The routing problem: a benchmark as plain numbers in millimetres."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from offline_expert.routing.boxes import Bounds, Vec

CornerPair = Sequence[Sequence[float]]


class Facts(TypedDict):
    """The benchmark as the first cell prints it in JSON. A box is a pair of corners."""

    build: CornerPair
    goal: CornerPair
    forbids: Sequence[CornerPair]
    solids: Sequence[CornerPair]
    shape: str
    size_mm: float
    start_mm: Sequence[float]


@dataclass(frozen=True)
class RoutingProblem:
    """A payload to bring from its start into the goal, and all obstacles."""

    build: Bounds
    goal: Bounds
    forbids: tuple[Bounds, ...]
    solids: tuple[Bounds, ...]
    """Boxes around the environment's solids: nothing may enter them, legs may stand on them."""
    is_ball: bool
    size_mm: float
    start: Vec

    @property
    def start_box(self) -> Bounds:
        """The box around the payload at its start."""
        return Bounds(self.start, self.start).grown(self.size_mm / 2)


def problem_from(facts: Facts) -> RoutingProblem:
    """Return the routing problem of a benchmark."""
    return RoutingProblem(
        build=_bounds(facts["build"]),
        goal=_bounds(facts["goal"]),
        forbids=tuple(_bounds(pair) for pair in facts["forbids"]),
        solids=tuple(_bounds(pair) for pair in facts["solids"]),
        is_ball=facts["shape"] == "ball",
        size_mm=facts["size_mm"],
        start=_vec(facts["start_mm"]),
    )


def _bounds(pair: CornerPair) -> Bounds:
    low, high = pair
    return Bounds(_vec(low), _vec(high))


def _vec(values: Sequence[float]) -> Vec:
    x, y, z = values
    return (x, y, z)
