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
    """The boxes of a world and its payloads."""

    bounds: Box
    build_zone: Box
    goal_zone: Box
    forbid_zones: tuple[Zone, ...]
    obstacles: tuple[Obstacle, ...]
    payloads: tuple[Payload, ...]
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
        for field, name, payload in self._named_payloads():
            yield from self._start_faults(field, (name, payload.box), forbids, obstacles)
        yield from self._meeting_faults()
        goal = ("goal_zone", self.goal_zone)
        apart = [*((each, goal) for each in (*forbids, *obstacles)), *combinations(obstacles, 2)]
        for (name, box), (other, other_box) in apart:
            if overlap := overlap_text(box, other_box, other):
                yield f"{name}: it {overlap}; move one of them"
        for _, name, payload in self._named_payloads():
            if self.goal_rule == "inside" and not _fits(payload, self.goal_zone):
                sizes, of = " x ".join(f"{edge:g}" for edge in self.goal_zone.size_mm), payload.size_text
                named = f"a payload of {of}" if len(self.payloads) == 1 else f"{name} of {of}"
                yield f"goal_zone: {sizes} mm are too small for {named}; enlarge it"

    def _named_payloads(self) -> Iterator[tuple[str, str, Payload]]:
        """Yield field and name of each payload, and the payload."""
        for index, payload in enumerate(self.payloads):
            if len(self.payloads) == 1:
                yield "payload", "the payload", payload
            else:
                yield f"payloads.{index} ({payload.label})", f"the payload {payload.label}", payload

    def _start_faults(
        self, field: str, payload: NamedBox, forbids: Sequence[NamedBox], obstacles: Sequence[NamedBox]
    ) -> Iterator[str]:
        called, start = payload
        if beyond := overhang(start, self.bounds):
            yield f"{field}.start_mm: {called} {beyond} of bounds; move the start"
        for name, zone in (("goal_zone", self.goal_zone), *forbids):
            if contact := contact_text(start, zone, name):
                yield f"{field}.start_mm: {called} {contact}; move the start or the zone"
        for name, box in obstacles:
            if overlap := overlap_text(start, box, name):
                yield f"{field}.start_mm: {called} {overlap}; move the start or the obstacle"

    def _meeting_faults(self) -> Iterator[str]:
        """Yield the payloads whose boxes overlap at the start."""
        for (_, _, one), (field, name, other) in combinations(self._named_payloads(), 2):
            if overlap := overlap_text(other.box, one.box, f"the payload {one.label}"):
                yield f"{field}.start_mm: {name} {overlap}; move one of them"


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
