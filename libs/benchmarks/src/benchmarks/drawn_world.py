"""The world that a seed draws, and what may be wrong with it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from contracts.models.benchmark import GoalRule, Obstacle, Payload, Zone, binding
from contracts.models.geometry import Box, overhang

TOUCHING_MM = 1e-6
NamedBox = tuple[str, Box]


@dataclass(frozen=True)
class DrawnWorld:
    """The boxes of a world and its payload."""

    bounds: Box
    build_zone: Box
    goal_zone: Box
    forbid_zones: tuple[Zone, ...]
    obstacles: tuple[Obstacle, ...]
    payload: Payload
    goal_rule: GoalRule

    def fault(self) -> str:
        """Return the first thing that makes the world useless, as one sentence; empty if it is valid."""
        return next(self._faults(), "")

    def faults(self) -> tuple[str, ...]:
        """Return everything that makes the world useless."""
        return tuple(self._faults())

    def _faults(self) -> Iterator[str]:
        forbids = [(f"forbid zone {zone.label}", zone.box) for zone in binding(self.forbid_zones, "payload")]
        obstacles = [(f"obstacle {each.label}", each.box) for each in self.obstacles]
        yield from self._start_faults(forbids, obstacles)
        goal = ("goal_zone", self.goal_zone)
        apart = [*((each, goal) for each in (*forbids, *obstacles)), *combinations(obstacles, 2)]
        for (name, box), (other, other_box) in apart:
            if overlap := overlap_text(box, other_box, other):
                yield f"{name}: it {overlap}; move one of them"
        if self.goal_rule == "inside" and not _fits(self.payload, self.goal_zone):
            sizes = " x ".join(f"{edge:g}" for edge in self.goal_zone.size_mm)
            yield f"goal_zone: {sizes} mm are too small for a payload of {self.payload.size_text}; enlarge it"

    def _start_faults(self, forbids: Sequence[NamedBox], obstacles: Sequence[NamedBox]) -> Iterator[str]:
        start = self.payload.box
        if beyond := overhang(start, self.bounds):
            yield f"payload.start_mm: the payload {beyond} of bounds; move the start"
        for name, zone in (("goal_zone", self.goal_zone), *forbids):
            if contact := contact_text(start, zone, name):
                yield f"payload.start_mm: the payload {contact}; move the start or the zone"
        for name, box in obstacles:
            if overlap := overlap_text(start, box, name):
                yield f"payload.start_mm: the payload {overlap}; move the start or the obstacle"


def contact_text(one: Box, other: Box, name: str) -> str:
    """Return how a box overlaps or touches another one; empty if they are apart."""
    axis, depth_mm = _penetration(one, other)
    if depth_mm < -TOUCHING_MM:
        return ""
    return overlap_text(one, other, name) or f"touches {name} along {axis}"


def overlap_text(one: Box, other: Box, name: str) -> str:
    """Return how a box overlaps another one; empty if they are apart or touch."""
    axis, depth_mm = _penetration(one, other)
    return f"overlaps {name} by {depth_mm:g} mm along {axis}" if depth_mm > TOUCHING_MM else ""


def _penetration(one: Box, other: Box) -> tuple[str, float]:
    """Return the axis along which the shortest way separates two boxes, and its length: negative if they are apart."""
    depths = [
        (min(high - other_low, other_high - low), axis)
        for axis, low, high, other_low, other_high in zip(
            "xyz", one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True
        )
    ]
    depth_mm, axis = min(depths)
    return axis, depth_mm


def _fits(payload: Payload, zone: Box) -> bool:
    return all(edge <= room for edge, room in zip(sorted(payload.extents_mm), sorted(zone.size_mm), strict=True))
