"""The routing problem: a benchmark as plain numbers in millimetres."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, inf, radians, sin
from typing import NamedTuple, NotRequired, TypedDict

from offline_expert.boxes import Bounds, TurnedBox, Vec, gap_mm, upright

SUPPORT_GAP_MM = 1.0
"""What rests on a solid is at most this far above it."""
_AHEAD_DEG, _ROLLS_DEG = 3.0, 20.0
"""How far a way may turn from the direction in which a payload is pushed, or rolls."""
_FROM_ZONES_MM = 1.0
_MEASURED_MM = 0.01
"""Measured heights are exact to this."""
CornerPair = Sequence[Sequence[float]]


class Facts(TypedDict):
    """The benchmark as the first cell prints it in JSON. A box is a pair of corners."""

    build: CornerPair
    goal: CornerPair
    forbids: Sequence[CornerPair]
    """For parts."""
    payload_forbids: NotRequired[Sequence[CornerPair]]
    """For payloads; without it, the same."""
    solids: Sequence[CornerPair]
    shape: str
    size_mm: float
    start_mm: Sequence[float]
    friction: NotRequired[float]
    hold_s: NotRequired[float]
    goal_rule: NotRequired[str]
    room_mm: NotRequired[float | None]
    """Height from the highest solid below the payload up to the payload; None: there is no solid."""
    max_price_usd: NotRequired[float | None]
    curved: NotRequired[Sequence[int]]
    """Indices of solids that do not fill their boxes: no leg may stand on them."""
    moving: NotRequired[Sequence[int]]
    """Indices of solids that move."""
    turned: NotRequired[Sequence[tuple[Sequence[float], Sequence[float], float]]]
    """Solids that are boxes turned about the vertical: their corners before that, and the angle in degrees."""
    lies: NotRequired[tuple[float, float, float]]
    """Of a round payload that lies: diameter, length, and the direction in which it rolls, in degrees."""
    taken: NotRequired[Sequence[str]]
    """Labels of the world that neither a part nor a joint may have, besides those of its solids."""


@dataclass(frozen=True)
class RoutingProblem:
    """A payload to bring from its start into the goal, and all obstacles."""

    build: Bounds
    goal: Bounds
    forbids: tuple[Bounds, ...]
    """For parts."""
    solids: tuple[Bounds, ...]
    """Boxes around the environment's solids: nothing may enter them, legs may stand on them."""
    is_ball: bool
    """Anything else is led as a cube."""
    size_mm: float
    """The payload's longest measure."""
    start: Vec
    is_cylinder: bool = False
    """Whether it is round, though not a ball: it can be pushed in every direction."""
    friction: float = 0.35
    """Of the payload."""
    hold_s: float = 1.0
    """How long the goal must hold the payload."""
    goal_rule: str = "touch"
    """`touch`, `inside` or `at_rest`."""
    payload_forbids: tuple[Bounds, ...] | None = None
    """For payloads; None: the same as for parts."""
    room_mm: float | None = None
    """Height from the highest solid below the payload up to the payload, measured on the solids; None: unknown."""
    max_price_usd: float | None = None
    footings: tuple[Bounds, ...] | None = None
    """Solids that fill their boxes, on which legs may stand; None: all of them."""

    turned: tuple[TurnedBox, ...] = ()
    """The solids that are boxes turned about the vertical; the boxes around them are among `solids`."""
    moving: frozenset[int] = frozenset()
    """Indices of solids that move."""
    taken: frozenset[str] = frozenset()
    """Labels of the world that neither a part nor a joint may have, besides those of its solids."""
    lies: tuple[float, float, float] | None = None
    """Of a round payload that lies: diameter, length, and the direction in which it rolls, in degrees."""
    across_mm: float | None = None
    """Width of the payload in a channel; None: its size."""
    heading_deg: float | None = None
    """Direction in which a machine pushes the payload over an edge at the start; None: it is released there."""

    is_moved: bool = False
    """Whether `start` is where the payload comes by, since the world itself moves it there."""

    @property
    def begins(self) -> str:
        """What the payload does at `start`, in words: it starts there, or only comes by."""
        return "comes by" if self.is_moved or self.heading_deg is not None else "starts"

    @property
    def shapes(self) -> tuple[TurnedBox, ...]:
        """The solids, each as the box that it fills best."""
        turned = {box.bounds: box for box in self.turned}
        return tuple(turned.get(solid) or upright(solid) for solid in self.solids)

    @property
    def fixed_solids(self) -> tuple[Bounds, ...]:
        """The solids that do not move."""
        return tuple(solid for index, solid in enumerate(self.solids) if index not in self.moving)

    def is_ahead(self, yaw_deg: float) -> bool:
        """Tell whether the payload can move in a direction: pushed over an edge in one, rolling in two or all."""
        if self.across_mm is not None and self.lies is not None:
            return abs((yaw_deg - self.lies[2] + 90) % 180 - 90) <= _ROLLS_DEG
        return self.heading_deg is None or abs((yaw_deg - self.heading_deg + 180) % 360 - 180) <= _AHEAD_DEG

    def rolling(self) -> "RoutingProblem":
        """Return the problem of a round payload that lies as that of a wide ball, which rolls in two directions."""
        if self.lies is None:
            return self
        diameter, length, _ = self.lies
        room_mm = None if self.room_mm is None else self.room_mm + (self.size_mm - diameter) / 2
        return replace(self, size_mm=diameter, across_mm=length, is_ball=True, is_cylinder=False, room_mm=room_mm)

    def footing_under(self, box: Bounds) -> float | None:
        """Return the height of the highest fixed solid under any part of a box and not above it; None: no solid."""
        tops = (
            solid.high[2]
            for solid in self.fixed_solids
            if all(solid.low[axis] + 1 < box.high[axis] and box.low[axis] + 1 < solid.high[axis] for axis in (0, 1))
            and solid.high[2] <= box.low[2] + SUPPORT_GAP_MM
        )
        return max(tops, default=None)

    def has_room(self, box: TurnedBox, apart_mm: float = 0.0) -> bool:
        """Tell whether a box is in the build zone, clear of zones for parts, and so far from all solids."""
        return (
            self.build.contains(box.bounds)
            and all(gap_mm(box, upright(zone)) >= _FROM_ZONES_MM for zone in self.forbids)
            and all(gap_mm(box, shape) >= apart_mm for shape in self.shapes)
        )

    @property
    def levels(self) -> tuple[Bounds, ...]:
        """The solids on which legs may stand."""
        return self.solids if self.footings is None else self.footings

    @property
    def is_held(self) -> bool:
        """Whether the payload must stay in the goal; otherwise a touch is enough."""
        return self.hold_s > 0 or self.goal_rule != "touch"

    @property
    def closed_to_payload(self) -> tuple[Bounds, ...]:
        """The zones that the payload may not touch."""
        return self.forbids if self.payload_forbids is None else self.payload_forbids

    @property
    def closed_to_channels(self) -> tuple[Bounds, ...]:
        """The zones that neither parts nor the payload in them may touch."""
        return tuple(dict.fromkeys((*self.forbids, *self.closed_to_payload)))

    @property
    def room_below_mm(self) -> float:
        """Height from the highest solid under the payload's centre up to the payload at its start."""
        if self.room_mm is not None:
            return self.room_mm
        (x, y, z), half = self.start, self.size_mm / 2
        tops = [
            solid.high[2]
            for solid in self.solids
            if solid.low[0] <= x <= solid.high[0] and solid.low[1] <= y <= solid.high[1] and solid.high[2] <= z
        ]
        return z - half - max(tops) if tops else inf

    def top_under(self, box: Bounds) -> float | None:
        """Return the height of the highest solid under the centre of a box and not above its bottom; None: no solid."""
        x, y, _ = box.center
        tops = (
            solid.high[2]
            for solid in self.solids
            if solid.low[0] <= x <= solid.high[0]
            and solid.low[1] <= y <= solid.high[1]
            and solid.high[2] <= box.low[2] + SUPPORT_GAP_MM
        )
        return max(tops, default=None)

    @property
    def floor_z(self) -> float | None:
        """Height of the solid under the start: measured, unless the box around it has the same; None: no solid."""
        top = self.top_under(self.start_box)
        if self.room_mm is None:
            return top
        measured = self.start_box.low[2] - self.room_mm
        return top if top is not None and abs(top - measured) <= _MEASURED_MM else measured

    @property
    def outside_text(self) -> str:
        """A sentence on how far the payload starts outside the build zone; empty if it does not."""
        overhangs = self.build.overhangs_mm(self.start_box).items()
        depths = [f"{depth:.0f} mm along {axis}" for axis, depth in overhangs if depth > SUPPORT_GAP_MM]
        where = "The payload starts outside the build zone, where no part may be"
        return f" {where}: {', '.join(depths)}." if depths else ""

    @property
    def start_box(self) -> Bounds:
        """The box around the payload at its start."""
        return Bounds(self.start, self.start).grown(self.size_mm / 2)


def problem_from(facts: Facts) -> RoutingProblem:
    """Return the routing problem of a benchmark."""
    curved, moving = facts.get("curved", ()), facts.get("moving", ())
    solids = _joined(
        [_Solid(_bounds(pair), index in curved, index in moving) for index, pair in enumerate(facts["solids"])]
    )
    turned = tuple(_turned(low, high, yaw_deg) for low, high, yaw_deg in facts.get("turned", ()))
    return RoutingProblem(
        build=_bounds(facts["build"]),
        goal=_bounds(facts["goal"]),
        forbids=tuple(_bounds(pair) for pair in facts["forbids"]),
        solids=(*(solid.box for solid in solids), *(box.bounds for box in turned)),
        turned=turned,
        is_ball=facts["shape"] == "ball",
        is_cylinder=facts["shape"] in ("cylinder", "capsule"),
        size_mm=facts["size_mm"],
        start=_vec(facts["start_mm"]),
        friction=facts.get("friction", 0.35),
        hold_s=facts.get("hold_s", 1.0),
        goal_rule=facts.get("goal_rule", "touch"),
        payload_forbids=tuple(_bounds(pair) for pair in facts.get("payload_forbids", facts["forbids"])),
        room_mm=facts.get("room_mm"),
        max_price_usd=facts.get("max_price_usd"),
        footings=tuple(solid.box for solid in solids if not solid.is_curved),
        moving=frozenset(index for index, solid in enumerate(solids) if solid.is_moving),
        taken=frozenset(facts.get("taken", ())),
        lies=facts.get("lies"),
    )


def _turned(low: Sequence[float], high: Sequence[float], yaw_deg: float) -> TurnedBox:
    """Return the box between two corners, turned about the world's vertical axis."""
    box, yaw = upright(Bounds(_vec(low), _vec(high))), radians(yaw_deg)
    x, y, z = box.center
    return replace(box, center=(x * cos(yaw) - y * sin(yaw), x * sin(yaw) + y * cos(yaw), z), yaw_deg=yaw_deg)


class _Solid(NamedTuple):
    box: Bounds
    is_curved: bool = False
    is_moving: bool = False

    def in_row(self, axis: int) -> object:
        """Return what it shares with those that it can be joined to along an axis."""
        sides = [ends for other, ends in enumerate(zip(*self.box, strict=True)) if other != axis]
        return self if self.is_curved or self.is_moving else tuple(sides)


def _joined(solids: list[_Solid]) -> list[_Solid]:
    """Return fixed boxes that share a whole face as one: a solid in pieces is the same obstacle."""
    solids = list(dict.fromkeys(solids))
    for axis in range(3):
        rows: dict[object, _Solid] = {}
        for solid in sorted(solids, key=lambda each: each.box.low[axis]):
            row = solid.in_row(axis)
            before = rows.get(row)
            rows[row] = solid
            if before is not None and before.box.high[axis] == solid.box.low[axis]:
                rows[row] = _Solid(Bounds(before.box.low, solid.box.high))
                solids = [rows[row] if each == before else each for each in solids if each != solid]
    return solids


def _bounds(pair: CornerPair) -> Bounds:
    low, high = pair
    return Bounds(_vec(low), _vec(high))


def _vec(values: Sequence[float]) -> Vec:
    x, y, z = values
    return (x, y, z)
