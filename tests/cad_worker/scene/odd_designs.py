"""Odd designs that are valid build123d: steps, slivers, edges that touch, coincident screws and needles."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from build123d import Box, Cylinder, Part, Pos, Rot, Sphere
from contracts.models.mechanism import Connection, Joint

from tests.support.designs import Designs, MechanismItem

STEPS_MM = (0.0, 1e-7, 1e-4, 0.001, 0.01, 0.03, 0.05, 0.0501, 0.06, 0.3)
"""Heights of steps and widths of gaps, around the tolerances of contact and of OCCT."""
MATERIALS = (("3d_printing", "pla"), ("3d_printing", "tpu-95a"), ("cnc", "aluminum-6061"), ("cnc", "pom"))


@dataclass(frozen=True)
class OddDesign:
    """Parts and what connects them."""

    parts: list[Part]
    mechanism: list[MechanismItem]


def odd_design(designs: Designs, seed: int) -> OddDesign:
    """Return the odd design of a seed: a tower of odd pieces on the floor."""
    random = Random(seed)
    parts: list[Part] = []
    mechanism: list[MechanismItem] = []
    top, below = random.choice(STEPS_MM), "floor"
    for number in range(random.randint(1, 4)):
        label, height = f"piece_{number}", random.choice((0.5, 3.0, 20.0, 60.0))
        method, material = random.choice(MATERIALS)
        shape = Pos(0, 0, top) * _piece(random, height)
        parts.append(designs.as_part(label, shape, method=method, material=material))
        mechanism += _connections(random, below, label, top)
        top, below = top + height + random.choice(STEPS_MM), label
    return OddDesign(parts, mechanism)


def _piece(random: Random, height: float) -> Any:
    """Return a piece that stands on z = 0, odd in one or two ways."""
    width, depth = random.choice((0.2, 4.0, 30.0, 80.0)), random.choice((4.0, 30.0, 80.0))
    made = Pos(0, 0, height / 2) * random.choice((Box(width, depth, height), Cylinder(width / 2, height)))
    for _ in range(random.randint(0, 2)):
        made = _odd(random, made, (width, depth, height))
    return made


def _odd(random: Random, made: Any, size: tuple[float, float, float]) -> Any:
    width, depth, height = size
    step = random.choice(STEPS_MM)
    oddities: tuple[Callable[[], Any], ...] = (
        # a step in the foot
        lambda: made + Pos(0, 0, (height + step) / 2) * Box(width / 2, depth / 2, max(height - step, 0.01)),
        # a fin as thin as the step
        lambda: made + Pos(0, 0, height / 2) * Box(max(step, 0.001), depth + 4, height),
        # a block that touches along an edge
        lambda: made + Pos(width / 2 + 5, depth / 2 + 5, height / 2) * Box(10, 10, height),
        # a hole that leaves a sliver
        lambda: made - Pos(width / 2 - 2 - step, 0, height / 2) * Cylinder(2, 2 * height),
        # a slot as wide as the step
        lambda: made - Pos(0, depth / 4, height) * Box(2 * width, max(step, 0.001), height),
        # turned by next to nothing
        lambda: Rot(0, 0, step) * made,
        # a ball that touches in a point
        lambda: made + Pos(0, 0, height + 3) * Sphere(3),
    )
    return random.choice(oddities)()


def _connections(random: Random, below: str, label: str, top: float) -> list[MechanismItem]:
    """Return glue, several times; screws in one place; a hinge; or nothing."""
    place = (0.0, 0.0, top + random.choice((3.0, 20.0)))
    match random.randrange(6):
        case 0:
            return []
        case 1:
            return [Connection(first=below, second=label, means="bonded")] * 3
        case 2:
            return [_screws(below, label, (place, place))]
        case 3:
            return [_screws(below, label, (place,)), _screws(below, label, (place,))]
        case 4:
            return [Joint(label=f"to_{label}", kind="revolute", parent=below, child=label, anchor_mm=(0, 0, top))]
        case _:
            return [Connection(first=label, second=below, means="bonded")]


def _screws(below: str, label: str, places: tuple[tuple[float, float, float], ...]) -> Connection:
    return Connection(
        first=label,
        second=below,
        means="fastened",
        fastener_id="iso4762-m3x16",
        places_mm=places,
        directions=((0.0, 0.0, -1.0),) * len(places),
    )
