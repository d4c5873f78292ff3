"""Parts that the workbenches object to, each with a title."""

from collections.abc import Iterator, Sequence
from typing import Any

from build123d import Axis, Box, Cylinder, Plane, Pos, Rectangle, Rot, Sphere, extrude, fillet
from build123d.topology import Shape
from contracts.models.design import Finding, Method
from parts_catalog.materials import MATERIALS
from workbenches.interface import PartOrder
from workbenches.quote import quote_part

from tests.workbenches.sheet_metal import shapes as sheets
from tests.workbenches.turning import shapes as round_

Case = tuple[str, Sequence[Finding]]


def _case(title: str, shape: Shape[Any], method: Method, material_id: str) -> Case:
    (solid,) = shape.solids()
    order = PartOrder(label="part", material=MATERIALS[material_id], quantity=100)
    return f"{method} of {material_id}: {title}", quote_part(solid, method, order).findings


def cases() -> Iterator[Case]:
    for title, shape in _milled():
        yield _case(title, shape, "cnc", "aluminum-6061")
    yield _case("too long", Box(300, 50, 20), "cnc", "pom")
    for title, shape in _printed():
        yield _case(title, shape, "3d_printing", "pla")
    yield _case("too long", Box(400, 30, 30), "3d_printing", "pa12-sls")
    yield _case("sealed void", Box(40, 40, 40) - Sphere(4), "3d_printing", "pa12-sls")
    for title, shape in _moulded():
        yield _case(title, shape, "injection_molding", "abs")
    for title, shape in _turned():
        yield _case(title, shape, "turning", "aluminum-6061")
    for title, shape in _cut_and_bent():
        yield _case(title, shape, "sheet_metal", "steel-dc01")


def _turned() -> Iterator[tuple[str, Shape[Any]]]:
    yield "plate", Box(40, 30, 5)
    yield "square bar", round_.polygon_bar(4)
    yield "too long and slender", Cylinder(5, 240)
    yield "hole that leans", round_.leaning_hole()
    yield "groove inside", round_.inner_groove(12)
    yield "narrow groove", round_.grooved(1)
    yield "deep bore", round_.bored(6, 61.2)
    yield "thin cross hole", round_.cross_drilled(1.9)
    yield "thin wall", round_.cup(0.45)
    yield "thin neck", round_.necked(0.7)
    yield "small fillet", round_.rounded_shoulder(0.3)
    yield "coil", round_.coil()


def _cut_and_bent() -> Iterator[tuple[str, Shape[Any]]]:
    yield "block", Box(40, 40, 20)
    yield "too long", Box(3000, 100, 2)
    yield "bowl", sheets.bowl()
    yield "chamfered plate", sheets.chamfered()
    yield "plate with a rib", sheets.ribbed()
    yield "square tube", sheets.tube()
    yield "tight bend, low flange", sheets.angle(5.9, 0.9)
    yield "thin hole", sheets.plate(sheets.hole(1.3))
    yield "narrow slot", sheets.plate(sheets.slot(1.9))
    yield "hole at the edge", sheets.plate(sheets.hole(10, 43.7))
    yield "hole near the bend", sheets.angle() - sheets.hole(6, 11)


def _milled() -> Iterator[tuple[str, Shape[Any]]]:
    block = Box(60, 40, 20)
    yield "too thin to clamp", Box(30, 4, 4)
    yield "sealed void", Box(60, 40, 30) - Sphere(8)
    yield "sharp pocket", block - Pos(0, 0, 6) * Box(30, 20, 8)
    for radius_mm in (0.5, 2.0):
        pocket = fillet(Box(30, 20, 8).edges().filter_by(Axis.Z), radius_mm)
        yield f"pocket with radius {radius_mm}", block - Pos(0, 0, 6) * pocket
    yield "long T-slot", Box(60, 150, 25) - Pos(0, 0, 9) * Box(6, 150, 10) - Pos(0, 0, 2) * Box(14, 150, 6)
    yield "deep narrow slot", Box(60, 40, 40) - Pos(0, 0, 5) * Box(60, 2.4, 30)
    yield "deep holes", Box(40, 40, 20) - Cylinder(2, 20) - Pos(10, 0, 0) * Cylinder(0.95, 20)
    yield "thin hole", Box(40, 40, 4) - Cylinder(0.2, 4)
    yield "thin walls", Box(40, 30, 10) + Pos(0, 0, 8) * Box(40, 0.4, 6)
    yield "wall below the recommendation", Box(40, 30, 10) + Pos(0, 0, 8) * Box(40, 0.7, 6)
    yield "blind hole with a flat bottom", Box(40, 40, 20) - Pos(0, 0, 6) * Cylinder(4, 8)
    drilled = Box(50, 50, 50)
    for turn in ((0, 0, 0), (0, 90, 0), (0, -90, 0), (90, 0, 0), (-90, 0, 0)):
        drilled = drilled - Rot(*turn) * Pos(0, 0, 20) * Cylinder(5, 10)
    yield "holes from five sides", drilled


def _printed() -> Iterator[tuple[str, Shape[Any]]]:
    yield "sealed void", Box(40, 40, 40) - Sphere(4)
    yield "thin walls", Box(60, 40, 15) - Pos(0, 0, 3) * Box(58.6, 38.6, 15)
    yield "thin hole", Box(20, 20, 8) - Cylinder(0.8, 8)
    yield "thin pin", Box(20, 20, 4) + Pos(0, 0, 6) * Cylinder(1.2, 8)
    for span_mm in (15, 25, 35):
        yield f"bridge of {span_mm} mm", Box(span_mm + 12, span_mm + 12, span_mm + 12) - Box(span_mm, span_mm, span_mm)
    head = Pos(0, 0, 26) * Cylinder(18, 20) + Pos(0, 0, 12) * Cylinder(10, 8)
    yield "overhang", Pos(0, 0, 2) * Box(60, 60, 4) + Pos(0, 0, 6) * Cylinder(10, 8) + head


def _moulded() -> Iterator[tuple[str, Shape[Any]]]:
    yield "too long", drafted(800, 30, 3, 2)
    yield "without draft", Box(60, 40, 3)
    yield "little draft for its depth", drafted(60, 60, 60, 1.2)
    yield "sealed void", drafted(30, 30, 12, 3) - Pos(0, 0, 6) * Sphere(3)
    yield "hole through a wall", tray(2) - Pos(40, 0, 10) * Rot(0, 90, 0) * Cylinder(4, 20)
    yield "thin walls", tray(0.8)
    yield "thick walls", tray(4.2)
    yield "unequal walls", drafted(60, 40, 1.5, 2) + Pos(-15, 0, 0) * drafted(20, 30, 3.5, 2)
    yield "thick rib", drafted(80, 60, 2.4, 2) + Pos(0, 0, 2.4) * drafted(40, 1.9, 6, 0.5)
    yield "thick boss", drafted(80, 60, 2.4, 2) + Pos(0, 0, 5.4) * (Cylinder(4, 6.001) - Cylinder(2, 20))


def drafted(length: float, width: float, height: float, taper_deg: float) -> Shape[Any]:
    return extrude(Plane.XY * Rectangle(length, width), height, taper=taper_deg)


def tray(wall_mm: float) -> Shape[Any]:
    """Return an open tray with walls of one thickness, tapered on both sides."""
    top = Plane.XY.offset(20)
    inner = extrude(top * Rectangle(80 - 2 * wall_mm, 60 - 2 * wall_mm), -(20 - wall_mm), taper=1.5)
    return extrude(top * Rectangle(80, 60), -20, taper=1.5) - inner
