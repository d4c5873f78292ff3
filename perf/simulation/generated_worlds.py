"""Worlds drawn from a seed, as benchmark folders: corridors, shelves, gaps, tables, two walls, lanes and cubes.

They are ordinary tasks that no expert was adjusted to. Lengths in millimetres.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import radians, tan
from pathlib import Path
from random import Random

import yaml
from benchmarks.benchmark_file import BenchmarkFile

Vec = tuple[float, float, float]
Pair = tuple[Vec, Vec]
"""Lower and upper corner of a box."""

_ENVIRONMENT = '''"""Solids of a generated world: boxes, each with the part that is cut out of it, if any."""

from build123d import Box, Compound, Pos

SOLIDS = {solids}


def block(low, high) -> Box:
    """Return the box between two corners."""
    size = [b - a for a, b in zip(low, high)]
    return Pos(*[(a + b) / 2 for a, b in zip(low, high)]) * Box(*size)


def build(variant) -> Compound:
    """Return the solids."""
    children = []
    for label, low, high, cuts in SOLIDS:
        solid = block(low, high)
        for cut_low, cut_high in cuts:
            solid = solid - block(cut_low, cut_high)
        solid.label = label
        children.append(solid)
    return Compound(label="environment", children=children)
'''


@dataclass(frozen=True)
class Solid:
    """A box of the environment, without the boxes that are cut out of it."""

    label: str
    low: Vec
    high: Vec
    cuts: tuple[Pair, ...] = ()


@dataclass(frozen=True)
class GeneratedWorld:
    """One world; its folder contains benchmark.yaml and environment.py."""

    name: str
    description: str
    build: Pair
    goal: Pair
    start: Vec
    size: float
    solids: tuple[Solid, ...] = ()
    forbids: tuple[Pair, ...] = ()
    shape: str = "ball"
    hold_s: float = 1.0
    level: int = 2

    @property
    def floor(self) -> Solid:
        """The ground slab: its top is z = 0."""
        (x0, y0, _), (x1, y1, _) = self.bounds
        return Solid("ground", (x0, y0, -20.0), (x1, y1, 0.0))

    @property
    def bounds(self) -> Pair:
        """The build zone and 20 mm around it."""
        (x0, y0, _), (x1, y1, z1) = self.build
        return (x0 - 20, y0 - 20, -20.0), (x1 + 20, y1 + 20, z1 + 20)

    def write(self, parent: Path) -> Path:
        """Write benchmark.yaml and environment.py; return their folder."""
        folder = parent / self.name
        folder.mkdir(parents=True)
        content = yaml.safe_dump(self._content(), sort_keys=False)
        BenchmarkFile.model_validate(yaml.safe_load(content))
        (folder / "benchmark.yaml").write_text(content, encoding="utf-8")
        solids = [(each.label, each.low, each.high, each.cuts) for each in (self.floor, *self.solids)]
        (folder / "environment.py").write_text(_ENVIRONMENT.format(solids=solids), encoding="utf-8")
        return folder

    def _content(self) -> dict[str, object]:
        zones = [{"label": f"forbid-{n}", "box": _box(pair)} for n, pair in enumerate(self.forbids, start=1)]
        payload = {"shape": self.shape, "size_mm": self.size, "density_kg_m3": 1410, "friction": 0.35}
        return {
            "name": self.name,
            "title": self.name,
            "description": self.description,
            "level": self.level,
            "bounds": _box(self.bounds),
            "build_zone": _box(self.build),
            "goal_zone": _box(self.goal),
            "forbid_zones": zones,
            "payload": {**payload, "start_mm": list(self.start)},
            "hold_s": self.hold_s,
            "duration_s": 15.0,
        }


def worlds(count: int, seed: int) -> list[GeneratedWorld]:
    """Return `count` worlds; the kinds take turns, and the same seed always draws the same worlds."""
    random = Random(seed)  # noqa: S311 - not used for security
    drawn = [_KINDS[n % len(_KINDS)](random) for n in range(count)]
    return [replace(world, name=f"w{n:02d}-{world.name}") for n, world in enumerate(drawn, start=1)]


def _corridor(random: Random) -> GeneratedWorld:
    """A long room between two walls, with little height."""
    size, length = random.uniform(25, 45), random.uniform(260, 460)
    half = size / 2 + random.uniform(45, 80)
    goal_z, slope = random.uniform(20, 60), random.uniform(4.0, 8.0)
    start_z = goal_z + 1.6 * size + 30 + tan(radians(slope)) * length
    build = ((-80.0, -half, 0.0), (length + 90, half, start_z + 80))
    walls = tuple(
        Solid(label, (-80, side - 6, 0), (length + 90, side + 6, start_z))
        for label, side in (("wall-left", half + 6), ("wall-right", -half - 6))
    )
    return _world(
        GeneratedWorld(
            name="corridor",
            description="A ball is released at one end of a corridor and must reach the goal zone at its other end.",
            build=build,
            goal=((length - 60, -half + 8, goal_z), (length + 60, half - 8, goal_z + size + 50)),
            start=(0.0, 0.0, start_z),
            size=size,
            solids=walls,
            hold_s=random.choice([0.0, 1.0, 2.0]),
        )
    )


def _shelf(random: Random) -> GeneratedWorld:
    """The ball begins on a shelf, or shortly above it, and the goal is lower."""
    size, depth, height = random.uniform(28, 45), random.uniform(90, 140), random.uniform(180, 300)
    is_resting, reach, aside = random.random() < 0.5, random.uniform(140, 260), random.uniform(-60, 60)
    above = size / 2 + 0.1 if is_resting else size / 2 + random.uniform(40, 90)
    goal_z = height - random.uniform(110, 150)
    return _world(
        GeneratedWorld(
            name="shelf",
            description="A ball begins at a shelf and must reach the goal zone, which is lower.",
            build=((-depth, -180.0, 0.0), (reach + 120, 180.0, height + 260)),
            goal=((reach - 50, aside - 60, goal_z), (reach + 70, aside + 60, goal_z + size + 50)),
            start=(-depth / 3, 0.0, height + above),
            size=size,
            solids=(Solid("shelf", (-depth, -180, 0), (0, 180, height)),),
            hold_s=random.choice([0.0, 1.0]),
        )
    )


def _gap(random: Random) -> GeneratedWorld:
    """Two blocks with a closed gap between them."""
    size, gap, high = random.uniform(25, 45), random.uniform(80, 200), random.uniform(120, 220)
    low = high - random.uniform(40, 100)
    start_z = high + size / 2 + random.uniform(60, 120)
    return _world(
        GeneratedWorld(
            name="gap",
            description="A ball is released above a block and must reach the goal zone on a lower one, beyond a gap.",
            build=((-160.0, -150.0, 0.0), (gap + 200, 150.0, start_z + 120)),
            goal=((gap + 30, -70.0, low + 4), (gap + 160, 70.0, low + size + 60)),
            start=(-random.uniform(50, 90), random.uniform(-40, 40), start_z),
            size=size,
            solids=(
                Solid("upper-block", (-160, -150, 0), (0, 150, high)),
                Solid("lower-block", (gap, -150, 0), (gap + 200, 150, low)),
            ),
            forbids=(((5.0, -150.0, 0.0), (gap - 5, 150.0, low - 20)),),
        )
    )


def _table(random: Random) -> GeneratedWorld:
    """The goal is under a table, one solid with four legs."""
    size, top_z, reach = random.uniform(25, 40), random.uniform(190, 260), random.uniform(180, 280)
    x0, x1, half = reach - 110, reach + 110, random.uniform(110, 150)
    under_x, under_y = (
        ((x0, -half + 14, 0.0), (x1, half - 14, top_z - 14)),
        (
            (x0 + 14, -half, 0.0),
            (x1 - 14, half, top_z - 14),
        ),
    )
    goal_z = random.uniform(25, 50)
    start_z = goal_z + 1.6 * size + 30 + tan(radians(random.uniform(7, 12))) * reach
    return _world(
        GeneratedWorld(
            name="table",
            description="A ball is released beside a table and must reach the goal zone under it.",
            build=((-120.0, -190.0, 0.0), (x1 + 30, 190.0, max(start_z, top_z) + 120)),
            goal=((reach - 60, -60.0, goal_z), (reach + 60, 60.0, goal_z + size + 45)),
            start=(-random.uniform(0, 50), random.uniform(-30, 30), start_z),
            size=size,
            solids=(Solid("table", (x0, -half, 0), (x1, half, top_z), (under_x, under_y)),),
        )
    )


def _two_walls(random: Random) -> GeneratedWorld:
    """Two walls that leave openings at opposite ends."""
    size, room = random.uniform(25, 40), random.uniform(130, 180)
    depth, opening = random.uniform(210, 260), random.uniform(100, 130)
    height = random.uniform(480, 560)
    first, second = room / 2, room / 2 + room
    goal_z = random.uniform(40, 80)
    return _world(
        GeneratedWorld(
            name="two-walls",
            description="Two walls stand between the ball and the goal zone; each leaves an opening at one end.",
            build=((-100.0, -depth, 0.0), (second + 160, depth, height)),
            goal=((second + 30, -depth + 20, goal_z), (second + 150, depth - 20, goal_z + size + 60)),
            start=(0.0, random.uniform(-60, 60), height - 80),
            size=size,
            solids=(
                Solid("wall-1", (first - 6, -depth, 0), (first + 6, depth - opening, height)),
                Solid("wall-2", (second - 6, -depth + opening, 0), (second + 6, depth, height)),
            ),
        )
    )


def _lane(random: Random) -> GeneratedWorld:
    """A lane between two closed zones, little wider than the ball."""
    size, length, half = random.uniform(28, 45), random.uniform(140, 240), 0.0
    half = (size + random.uniform(14, 34)) / 2
    goal_z = random.uniform(30, 60)
    end = 60 + length
    start_z = goal_z + 1.6 * size + 40 + tan(radians(random.uniform(6, 12))) * (end + 70)
    top = start_z + 100
    return _world(
        GeneratedWorld(
            name="lane",
            description="A narrow lane between two closed zones leads from the ball to the goal zone.",
            build=((-90.0, -120.0, 0.0), (end + 160, 120.0, top)),
            goal=((end + 20, -60.0, goal_z), (end + 140, 60.0, goal_z + size + 50)),
            start=(0.0, 0.0, start_z),
            size=size,
            forbids=(((60.0, half, 0.0), (end, 120.0, top)), ((60.0, -120.0, 0.0), (end, -half, top))),
        )
    )


def _cube_slope(random: Random) -> GeneratedWorld:
    """A cube that is released high above a goal aside."""
    size, reach, slope = random.uniform(25, 40), random.uniform(130, 230), random.uniform(28, 40)
    goal_z = random.uniform(20, 60)
    start_z = goal_z + 1.5 * size + 25 + tan(radians(slope)) * reach
    return _world(
        GeneratedWorld(
            name="cube-slope",
            description="A cube is released above the ground and must reach the goal zone, lower and to the side.",
            build=((-110.0, -130.0, 0.0), (reach + 140, 130.0, start_z + 80)),
            goal=((reach - 60, -70.0, goal_z), (reach + 80, 70.0, goal_z + size + 60)),
            start=(0.0, random.uniform(-20, 20), start_z),
            size=size,
            shape="cube",
        )
    )


def _cube_floor(random: Random) -> GeneratedWorld:
    """A cube on a floor, and the goal on the same floor, along y."""
    size, reach = random.uniform(30, 45), random.uniform(150, 280)
    return _world(
        GeneratedWorld(
            name="cube-floor",
            description="A cube stands on a level floor and must be brought to the goal zone on the same floor.",
            build=((-130.0, -200.0, 0.0), (130.0, reach + 130, 200.0)),
            goal=((-60.0, reach - 60, 4.0), (60.0, reach + 80, size + 20)),
            start=(random.uniform(-20, 20), 0.0, size / 2 + 0.1),
            size=size,
            shape="cube",
            hold_s=random.choice([1.0, 2.0]),
        )
    )


def _below(random: Random) -> GeneratedWorld:
    """The goal is straight below the start, above the ground."""
    size, goal_z = random.uniform(25, 45), random.uniform(80, 160)
    start_z = goal_z + random.uniform(150, 280)
    return _world(
        GeneratedWorld(
            name="below",
            description="A ball is released straight above the goal zone, where it must stay.",
            build=((-140.0, -140.0, 0.0), (140.0, 140.0, start_z + 100)),
            goal=((-65.0, -65.0, goal_z), (65.0, 65.0, goal_z + size + 60)),
            start=(random.uniform(-15, 15), random.uniform(-15, 15), start_z),
            size=size,
            level=1,
        )
    )


def _world(world: GeneratedWorld) -> GeneratedWorld:
    """Return the world with lengths of 0.1 mm."""
    return replace(
        world,
        size=round(world.size, 1),
        start=_vec(world.start),
        build=_pair(world.build),
        goal=_pair(world.goal),
        forbids=tuple(map(_pair, world.forbids)),
        solids=tuple(
            replace(each, low=_vec(each.low), high=_vec(each.high), cuts=tuple(map(_pair, each.cuts)))
            for each in world.solids
        ),
    )


def _pair(pair: Pair) -> Pair:
    return _vec(pair[0]), _vec(pair[1])


def _vec(values: Sequence[float]) -> Vec:
    x, y, z = (round(value, 1) for value in values)
    return (x, y, z)


def _box(pair: Pair) -> dict[str, list[float]]:
    return {"min_mm": list(pair[0]), "max_mm": list(pair[1])}


_KINDS: tuple[Callable[[Random], GeneratedWorld], ...] = (
    _corridor,
    _shelf,
    _gap,
    _table,
    _two_walls,
    _lane,
    _cube_slope,
    _cube_floor,
    _below,
)
