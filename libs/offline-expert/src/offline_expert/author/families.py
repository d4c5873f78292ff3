"""Families of worlds: what is between start and goal, drawn at random. A family says also what its plan says of it.

All features stay below the goal zone's lower face, so that a straight chute passes above them; what they leave free on
both sides holds its legs. Lengths in millimetres.
"""

import math
from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from offline_expert.author.words import BALL_MM, EXTRA_FAMILIES, BriefReading
from offline_expert.author.world import Closed, Hindrance, InventedWorld, Kind

LEG_ROOM = 42.0
"""Free length along x on either side of a leg's middle."""
BESIDE = 6.0
"""Free length along x on either side of a feature."""
_WALL_SHARE = 0.9
"""Height of a wall that is asked for over that of what stays below the goal."""
BELOW_GOAL = 18.0
"""Distance of the top of every feature from the goal zone's lower face."""

Feature = Callable[[Random, InventedWorld, float, float, str], InventedWorld]
"""Adds something to a world between two places along x; the text tells its labels apart."""


def draw(seed: int, attempt: int, level: int, reading: BriefReading = BriefReading()) -> InventedWorld:  # noqa: B008 - immutable
    """Return the world of a seed at a level; another attempt draws other numbers for the same family.

    Without a family in the reading, those of the seeds take turns.
    """
    name = reading.families[0] if reading.families else family_of(seed)
    random = Random(f"{seed}:{attempt}:{level}")  # noqa: S311 - not used for security
    world = _open_world(random, name, level, reading.lengths_mm)
    begin, end = world.start[0] + LEG_ROOM, world.goal_centre[0] - LEG_ROOM
    drawn = random.sample(EXTRAS, level - 1)
    named = [FAMILIES[each] for each in reading.families[1:] if each in EXTRA_FAMILIES]
    others = [*named, *(each for each in drawn if each not in named)]
    features = [FAMILIES[name], *others[: level - 1]]
    random.shuffle(features)
    weights = [2.0 if feature in MOVING else 1.0 for feature in features]
    for number, feature in enumerate(features):
        share = (end - begin) * weights[number] / sum(weights)
        first = begin + (end - begin) * sum(weights[:number]) / sum(weights)
        world = feature(random, world, first + BESIDE, first + share - BESIDE, str(number + 1))
    return world


def family_of(seed: int) -> str:
    """Return the name of a seed's family: they take turns."""
    names = list(FAMILIES)
    return names[seed % len(names)]


def _open_world(random: Random, family: str, level: int, asked_mm: Mapping[str, float]) -> InventedWorld:
    """Return a world with start and goal only; a higher level is longer, to hold more."""
    drawn_mm = float(random.randint(*map(int, BALL_MM)))
    ball = asked_mm.get("ball", drawn_mm)
    length = random.uniform(250, 290) + 55 * (level - 1) + (40 if FAMILIES[family] in MOVING else 0)
    aside = random.uniform(-30, 30)
    floor = random.uniform(105, 150)
    if "gap" in asked_mm:  # features share what the legs leave free
        length = (asked_mm["gap"] + 2 * BESIDE) * level + 2 * LEG_ROOM
    elif "distance" in asked_mm:
        length = math.sqrt(asked_mm["distance"] ** 2 - (2 * aside) ** 2)
    if "high-wall" in asked_mm:
        floor = asked_mm["high-wall"] / _WALL_SHARE + BELOW_GOAL
    depth, height = random.uniform(110, 150), ball + random.uniform(60, 90)
    drop = random.uniform(95, 130)
    slope = random.uniform(0.13, 0.2)
    start_z = floor + height / 2 + ball + slope * length + drop
    start, goal_x = (-length / 2, -aside, start_z), length / 2
    return InventedWorld(
        family=family,
        level=level,
        start=start,
        goal_low=(goal_x - depth / 2, aside - depth / 2, floor),
        goal_high=(goal_x + depth / 2, aside + depth / 2, floor + height),
        half_width=random.uniform(140, 180),
        top=start_z + 120,
        ball=ball,
        material=random.choice(("pom", "hdpe", "abs", "pc")),
        hold_s=random.choice((0.5, 1.0, 2.0)),
        goal_rule=random.choice(("touch", "touch", "at_rest")),
        price_usd=500.0 + 70 * level,
        mass_kg=1.0 + 0.15 * level,
        speed=random.uniform(0.15, 0.4),
        wall=asked_mm.get("high-wall"),
    )


def _ceiling(world: InventedWorld) -> float:
    return world.goal_low[2] - BELOW_GOAL


def _closed_floor(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """A closed zone on the ground."""
    half, top = world.half_width * random.uniform(0.6, 0.95), _ceiling(world) * random.uniform(0.4, 0.95)
    zone = Closed(f"closed-{name}", (begin, -half, 0), (end, half, top))
    return world.with_features("Neither parts nor the ball may enter a closed zone on the ground.", closed=[zone])


def _gap(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """A closed gap between the block below the start and the one below the goal."""
    top, half = _ceiling(world) * random.uniform(0.45, 0.8), world.half_width - 8
    left, right = world.start[0] - 62, world.goal_centre[0] + 62
    blocks = [
        Hindrance("block", f"start-{name}", (left, -half, 0), (world.start[0] + LEG_ROOM - 6, half, top)),
        Hindrance("block", f"goal-{name}", (world.goal_centre[0] - LEG_ROOM + 6, -half, 0), (right, half, top)),
    ]
    gap = Closed(f"gap-{name}", (begin, -half, 0), (end, half, top * random.uniform(0.5, 0.8)))
    sentence = "Two blocks carry what is built; the gap between them is closed, and the ball must cross it."
    return world.with_features(sentence, blocks, [gap])


def _wall(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """A wall across the way."""
    middle, thick = random.uniform(begin + 18, end - 18), random.uniform(14, 26)
    top, half = world.wall or _ceiling(world) * random.uniform(0.75, 1.0), world.half_width - 8
    wall = Hindrance("block", f"wall-{name}", (middle - thick / 2, -half, 0), (middle + thick / 2, half, top))
    return world.with_features("A wall crosses the way.", [wall])


def _ridge(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """Pillars of several heights in a row, on the line from start to goal."""
    count = random.randint(2, 3)
    pitch = (end - begin) / count
    pillars: list[Hindrance] = []
    for number in range(count):
        middle = begin + pitch * (number + 0.5)
        wide, half = min(pitch * 0.6, 26.0) / 2, random.uniform(22, 45)
        y, top = world.line_y(middle), _ceiling(world) * random.uniform(0.4, 1.0)
        low, high = (middle - wide, y - half, 0.0), (middle + wide, y + half, top)
        pillars.append(Hindrance("block", f"pillar-{name}-{number + 1}", low, high))
    return world.with_features("Pillars stand in the way.", pillars)


def _shelf(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """The goal is above a shelf, and the ground before it is closed."""
    x, y, _ = world.goal_centre
    half, top = random.uniform(58, 75), _ceiling(world) * random.uniform(0.5, 1.0)
    shelf = Hindrance("block", f"shelf-{name}", (x - LEG_ROOM, y - half, 0), (x + 62, y + half, top))
    before = Closed(f"closed-{name}", (begin, -world.half_width + 8, 0), (end - 10, world.half_width - 8, top * 0.6))
    return world.with_features(
        "The goal zone is above a shelf; the ground before it is closed to parts and ball.", [shelf], [before]
    )


def _gate(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """A gate that a servo swings to and fro across the way."""
    sentence = "A servo swings a gate across the way; nothing may be attached to it."
    return world.with_features(sentence, [_mover(random, world, begin, end, Mover("gate", name, 78))])


def _sweeper(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """An arm that a motor turns without an end."""
    sentence = "A motor turns an arm across the way; nothing may be attached to it."
    return world.with_features(sentence, [_mover(random, world, begin, end, Mover("sweeper", name, 82))])


def _shuttle(random: Random, world: InventedWorld, begin: float, end: float, name: str) -> InventedWorld:
    """A board that a servo moves to and fro across the way."""
    sentence = "A servo moves a board to and fro across the way; nothing may be attached to it."
    return world.with_features(sentence, [_mover(random, world, begin, end, Mover("shuttle", name, 80))])


class Mover(NamedTuple):
    """What a motor moves, before it has a place."""

    kind: Kind
    name: str
    height: float


def _mover(random: Random, world: InventedWorld, begin: float, end: float, mover: Mover) -> Hindrance:
    """Place a mover, which sweeps a square box, on the line from start to goal."""
    half = min((end - begin) / 2, 75.0)
    x = random.uniform(begin + half, end - half) if end - begin > 2 * half else (begin + end) / 2
    y = world.line_y(x)
    return Hindrance(mover.kind, mover.name, (x - half, y - half, 0), (x + half, y + half, mover.height))


FAMILIES: Mapping[str, Feature] = {
    "closed-ground": _closed_floor,
    "swinging-gate": _gate,
    "gap": _gap,
    "sweeping-arm": _sweeper,
    "high-wall": _wall,
    "shelf": _shelf,
    "shuttle": _shuttle,
    "ridge": _ridge,
}
"""By name; in three of eight something moves."""
EXTRAS: tuple[Feature, ...] = (_closed_floor, _wall, _ridge)
"""What higher levels add."""
MOVING: tuple[Feature, ...] = (_gate, _sweeper, _shuttle)
