"""Time of the interference check of a machine with fifteen parts, some of which overlap."""

from time import perf_counter
from typing import Any

from build123d import Box, Cylinder, Pos, Rot, Solid
from build123d.topology import Shape
from design_rules.bodies.multibody import RigidGroups
from design_rules.bodies.solid_bodies import Part
from design_rules.rules.contact import interferences

PARTS = 15


def parts_with_overlaps() -> list[Part]:
    """Plates with bores, pillars and rods; a rod runs through a plate, and one pillar stands in another."""
    shapes: list[Shape[Any]] = []
    for floor in range(5):
        shapes.append(Pos(0, 0, 40 * floor) * (Box(120, 80, 6) - Pos(40, 20, 0) * Cylinder(8, 20)))
        shapes.append(Pos(-40, 20, 40 * floor + 20) * Cylinder(8, 34))
        shapes.append(Pos(40, -20, 40 * floor + 20) * Rot(0, 0, 30) * Box(12, 12, 33.99))
    shapes[4] = Pos(-40, 20, 70) * Cylinder(8, 60)
    solids: list[Solid] = [shape.solids()[0] for shape in shapes]
    return [Part(f"part-{number}", solid) for number, solid in enumerate(solids)]


def interference_ms(repetitions: int) -> tuple[float, int]:
    """Return the median milliseconds of a check, and the number of overlaps found."""
    times: list[float] = []
    found = 0
    for _ in range(repetitions):
        parts = parts_with_overlaps()
        begun = perf_counter()
        found = len(interferences(parts, (), RigidGroups((), ())))
        times.append(1000 * (perf_counter() - begun))
    return sorted(times)[len(times) // 2], found
