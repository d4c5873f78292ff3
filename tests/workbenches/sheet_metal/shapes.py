"""Parts of sheet metal, known to be makeable or not."""

from typing import Any

from build123d import (
    Axis,
    Box,
    BuildLine,
    BuildPart,
    BuildSketch,
    Cylinder,
    FilletPolyline,
    Line,
    Plane,
    Polyline,
    Pos,
    RadiusArc,
    RectangleRounded,
    Sphere,
    chamfer,
    extrude,
    make_face,
)
from build123d.topology import Shape

T_MM = 2.0


def angle(flange_mm: float = 30.0, radius_mm: float = 2.0, thickness_mm: float = T_MM) -> Shape[Any]:
    """Return an angle with a leg of 50, 40 wide."""
    t = thickness_mm
    outer, inner = ((0, flange_mm), (0, 0), (50, 0)), ((t, flange_mm), (t, t), (50, t))
    return _profile(outer, inner, radius_mm, t)


def channel(width_mm: float = 60.0, height_mm: float = 30.0, thickness_mm: float = T_MM) -> Shape[Any]:
    w, h, t = width_mm, height_mm, thickness_mm
    return _profile(((0, h), (0, 0), (w, 0), (w, h)), ((t, h), (t, t), (w - t, t), (w - t, h)), t, t)


def zigzag() -> Shape[Any]:
    """Return a sheet with a step of 20: one bend up, one down."""
    t, r = T_MM, 3.0
    with BuildPart() as part:
        with BuildSketch(Plane.XZ):
            with BuildLine():
                Polyline((0, t), (0, 0), (40 - r - t, 0))
                RadiusArc((40 - r - t, 0), (40, r + t), -(r + t))
                Line((40, r + t), (40, 20 - r - t))
                RadiusArc((40, 20 - r - t), (40 + r, 20 - t), r)
                Polyline((40 + r, 20 - t), (80, 20 - t), (80, 20), (40 + r, 20))
                RadiusArc((40 + r, 20), (40 - t, 20 - r - t), -(r + t))
                Line((40 - t, 20 - r - t), (40 - t, r + t))
                RadiusArc((40 - t, r + t), (40 - r - t, t), r)
                Line((40 - r - t, t), (0, t))
            make_face()
        extrude(amount=20, both=True)
    assert part.part is not None
    return part.part


def tube() -> Shape[Any]:
    """Return a square tube, closed all round."""
    outer, inner = (RectangleRounded(size, size, radius) for size, radius in ((40, 4), (36, 2)))
    return extrude(outer, 20, both=True) - extrude(inner, 20, both=True)


def plate(*holes: Shape[Any], thickness_mm: float = T_MM) -> Shape[Any]:
    return Box(100, 60, thickness_mm) - list(holes) if holes else Box(100, 60, thickness_mm)


def hole(diameter_mm: float, x_mm: float = 0.0, y_mm: float = 0.0) -> Shape[Any]:
    return Pos(x_mm, y_mm, 0) * Cylinder(diameter_mm / 2, 20)


def slot(width_mm: float, x_mm: float = 0.0) -> Shape[Any]:
    return Pos(x_mm, 0, 0) * Box(30, width_mm, 20)


def chamfered() -> Shape[Any]:
    return chamfer(plate().faces().sort_by(Axis.Z)[-1].edges(), 0.5)


def ribbed() -> Shape[Any]:
    return plate() + Pos(0, 0, 6) * Box(60, 2, 10)


def pocketed() -> Shape[Any]:
    return plate(thickness_mm=3) - Pos(0, 0, 1) * Box(20, 20, 1)


def bowl() -> Shape[Any]:
    return Sphere(20) - Sphere(18) - Pos(0, 0, 25) * Box(50, 50, 50)


def _profile(outer: Any, inner: Any, radius_mm: float, t: float) -> Shape[Any]:
    with BuildPart() as part:
        with BuildSketch(Plane.XZ):
            with BuildLine():
                FilletPolyline(*outer, radius=radius_mm + t)
                FilletPolyline(*inner, radius=radius_mm)
                Line(outer[0], inner[0])
                Line(outer[-1], inner[-1])
            make_face()
        extrude(amount=20, both=True)
    assert part.part is not None
    return part.part
