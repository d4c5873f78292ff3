"""A world in numbers, and its benchmark.yaml. Lengths in millimetres."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Vec = tuple[float, float, float]
Kind = Literal["block", "gate", "sweeper", "shuttle"]
"""What environment.py fills an obstacle with: a block down to the ground, or something that a motor moves."""
MOVERS: tuple[Kind, ...] = ("gate", "sweeper", "shuttle")


@dataclass(frozen=True)
class Hindrance:
    """A box that environment.py fills; a mover sweeps it."""

    kind: Kind
    name: str
    low: Vec
    high: Vec

    @property
    def label(self) -> str:
        """Its label, by which environment.py knows what to build."""
        return f"{self.kind}-{self.name}"


@dataclass(frozen=True)
class Closed:
    """A forbid zone."""

    label: str
    low: Vec
    high: Vec


@dataclass(frozen=True)
class InventedWorld:
    """One nominal world, whose ball a straight chute takes from the start to the goal zone."""

    family: str
    """Also the beginning of its name."""
    level: int
    start: Vec
    goal_low: Vec
    goal_high: Vec
    half_width: float
    """Of the build zone along y."""
    top: float
    """Of the build zone."""
    ball: float
    material: str
    hold_s: float
    goal_rule: str
    closed: tuple[Closed, ...] = ()
    obstacles: tuple[Hindrance, ...] = ()
    sentences: tuple[str, ...] = ()
    """Of the description: what is between start and goal."""
    scale: tuple[float, float] = (0.9, 1.2)
    shrink: float = 0.15
    price_usd: float = 520.0
    mass_kg: float = 1.0
    speed: float = 0.25
    """Of movers: turns per second, or swings per second."""
    wall: float | None = None
    """Height of walls, if the brief gives one."""

    @property
    def has_motion(self) -> bool:
        """Whether a motor of the environment moves something."""
        return any(each.kind in MOVERS for each in self.obstacles)

    @property
    def goal_centre(self) -> Vec:
        """The middle of the goal zone."""
        x, y, z = ((low + high) / 2 for low, high in zip(self.goal_low, self.goal_high, strict=True))
        return (x, y, z)

    def with_features(
        self, sentence: str, obstacles: Sequence[Hindrance] = (), closed: Sequence[Closed] = ()
    ) -> "InventedWorld":
        """Return the world with something more between start and goal."""
        return replace(
            self,
            obstacles=(*self.obstacles, *obstacles),
            closed=(*self.closed, *closed),
            sentences=(*self.sentences, sentence),
        )

    def line_y(self, x: float) -> float:
        """Return y of the straight line from the start to the goal, at a place along x."""
        goal_x, goal_y, _ = self.goal_centre
        return self.start[1] + (goal_y - self.start[1]) * (x - self.start[0]) / (goal_x - self.start[0])

    def yaml(self, name: str) -> str:
        """Return its benchmark.yaml."""
        return "\n".join(self._lines(name)) + "\n"

    def _lines(self, name: str) -> Iterator[str]:
        reach = max(-self.start[0], self.goal_high[0]) + 70
        yield f"name: {name}"
        yield f"title: {self.family.replace('-', ' ').capitalize()}"
        yield "description: |"
        yield f"  A ball of {self.ball:g} mm is released above the ground. Bring it into the goal zone, which is lower"
        yield "  and to the side, and keep it there. Gravity is enough."
        yield from (f"  {sentence}" for sentence in self.sentences)
        yield f"level: {self.level}"
        yield from _box(
            "bounds", (-reach - 10, -self.half_width - 10, -20), (reach + 10, self.half_width + 10, self.top + 10)
        )
        yield from _box("build_zone", (-reach, -self.half_width, 0), (reach, self.half_width, self.top))
        yield from _box("goal_zone", self.goal_low, self.goal_high)
        if self.closed:
            yield "forbid_zones:"
            for zone in self.closed:
                yield from _labelled(zone.label, zone.low, zone.high)
        if self.obstacles:
            yield "obstacles:"
            for each in self.obstacles:
                yield from _labelled(each.label, each.low, each.high)
        yield from self._rules()

    def _rules(self) -> Iterator[str]:
        low, high = self.scale
        yield "payload:"
        yield f"  {{shape: ball, size_mm: {self.ball:g}, start_mm: {_vec(self.start)}, material_id: {self.material}}}"
        yield f"limits: {{max_unit_price_usd: {self.price_usd:g}, max_mass_kg: {self.mass_kg:g}, max_parts: 30}}"
        yield f"hold_s: {self.hold_s:g}"
        yield f"goal_rule: {self.goal_rule}"
        yield "duration_s: 12.0"
        yield "randomisation:"
        yield "  reason: a lower world leaves a chute no slope, and a smaller one no room beside what is in the way"
        yield from (f"  scale_{axis}: {{low: {low:g}, high: {high:g}}}" for axis in "xyz")
        yield f"  shrink_up_to: {self.shrink:g}"
        yield "  start_spread_mm: [8, 8, 8]"
        yield "  mirror: [x, y]"


def _box(name: str, low: Vec, high: Vec) -> Iterator[str]:
    yield f"{name}: {{min_mm: {_vec(low)}, max_mm: {_vec(high)}}}"


def _labelled(label: str, low: Vec, high: Vec) -> Iterator[str]:
    yield f"  - {{label: {label}, box: {{min_mm: {_vec(low)}, max_mm: {_vec(high)}}}}}"


def _vec(values: Vec) -> str:
    return f"[{', '.join(f'{value:.1f}' for value in values)}]"
