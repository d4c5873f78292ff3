"""Machines of thirty parts of which orders of assembly are sought."""

from build123d import Box, Cylinder, Pos, Solid
from build123d.topology import Shape
from geometry.assembly.order import AssemblyPart
from geometry.collision.decomposition import collision_geometry
from geometry.occt.meshes import closed_mesh

Named = dict[str, Shape[object]]


def placed(label: str, shape: Shape[object], slides: tuple[tuple[float, float, float], ...] = ()) -> AssemblyPart:
    """Return a part with its mesh and convex shapes."""
    (solid,) = shape.solids()
    assert isinstance(solid, Solid)
    return AssemblyPart(label, closed_mesh(solid, 0.1, 0.3), collision_geometry(solid).geoms, slides)


def rail(slot: float = 60, shift: float = 0) -> Shape[object]:
    """Return a bar with a T-slot."""
    return Box(60, 30, 20) - Pos(shift, 0, 5) * Box(slot, 8, 10.01) - Pos(shift, 0, -3) * Box(slot, 16, 6)


def nut() -> Shape[object]:
    """Return a block in the slot of a rail."""
    return Pos(5, 0, -3) * Box(12, 15.8, 5.8) + Pos(5, 0, 6) * Box(12, 7.8, 20)


def keyhole_rail() -> Shape[object]:
    """Return a rail whose nut comes in by a hole beside its place, then along the slot."""
    return rail(40, -5) - Pos(-15, 0, 3) * Box(14, 16, 14.01)


def tower() -> Named:
    """Return ten floors, each of a plate with two dowels in it."""
    floor = Box(60, 40, 10) - Pos(-20, 0, 0) * Cylinder(4, 20) - Pos(20, 0, 0) * Cylinder(4, 20)
    pins = {"left": Pos(-20, 0, 2.5) * Cylinder(3.95, 14.9), "right": Pos(20, 0, 2.5) * Cylinder(3.95, 14.9)}
    parts: Named = {}
    for level in range(10):
        up = Pos(0, 0, 20.0 * level)
        parts[f"floor{level}"] = up * floor
        parts |= {f"{name}{level}": up * pin for name, pin in pins.items()}
    return parts


def gearbox() -> Named:
    """Return nine shafts with a wheel and a collar each in an open box, with a lid and a foot."""
    places = [(x, y) for x in (-50, 0, 50) for y in (-50, 0, 50)]
    box = Box(170, 170, 50) - Pos(0, 0, 5) * Box(160, 160, 50)
    cover = Pos(0, 0, 30.01) * Box(170, 170, 10)
    parts: Named = {}
    for number, (x, y) in enumerate(places):
        at = Pos(x, y, 0)
        box -= at * Cylinder(4.05, 100)
        cover -= at * Cylinder(4.05, 100)
        parts[f"shaft{number}"] = at * Cylinder(4, 66)
        parts[f"wheel{number}"] = at * Pos(0, 0, -5) * (Cylinder(22, 10) - Cylinder(4.05, 11))
        parts[f"collar{number}"] = at * Pos(0, 0, 5.01) * (Cylinder(8, 8) - Cylinder(4.05, 11))
    return {"box": box, **parts, "cover": cover, "foot": Pos(0, 0, -42.01) * Box(200, 200, 10)}


def blocks(count: int) -> Named:
    """Return a wall of blocks, ten in a row, away from the origin."""
    return {f"block{n}": Pos(100 + 30.01 * (n % 10), 0, 20.01 * (n // 10)) * Box(30, 20, 20) for n in range(count)}


def nut_among_blocks() -> Named:
    """Return a wall, and a nut that comes into its rail around a corner."""
    return {**blocks(28), "rail": keyhole_rail(), "nut": nut()}


def nuts_in_rails() -> Named:
    """Return fifteen nuts that come into their rails around a corner."""
    parts: Named = {}
    for number in range(15):
        at = Pos(70.0 * (number % 5), 40.0 * (number // 5), 0)
        parts |= {f"rail{number}": at * keyhole_rail(), f"nut{number}": at * nut()}
    return parts


def core_in_a_closed_case() -> Named:
    """Return a wall, and a case with something in it that never comes out."""
    return {**blocks(28), "case": Box(30, 25, 40) - Box(24, 19, 34), "core": Pos(0, 0, -5) * Box(10, 10, 10)}


THIRTY_PARTS = (tower, gearbox, nut_among_blocks, nuts_in_rails, core_in_a_closed_case)
