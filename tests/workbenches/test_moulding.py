"""Rules of the moulding workbench, on parts with known results."""

from typing import Any

import pytest
from build123d import Axis, Cylinder, Plane, Pos, Rectangle, Rot, extrude, fillet
from build123d.topology import Shape
from workbenches.moulding.bench import MouldingBench

from tests.workbenches.parts_and_orders import RepeatedBench, errors, mesh_of, order, warnings

BENCH = RepeatedBench(MouldingBench())


def drafted(length: float, width: float, height: float, taper_deg: float) -> Shape[Any]:
    return extrude(Plane.XY * Rectangle(length, width), height, taper=taper_deg)


def tray(wall_mm: float, taper_deg: float = 1.5) -> Shape[Any]:
    """Return an open tray with walls of one thickness, tapered on both sides."""
    outer = extrude(Plane.XY.offset(20) * Rectangle(80, 60), -20, taper=taper_deg)
    inner = extrude(
        Plane.XY.offset(20) * Rectangle(80 - 2 * wall_mm, 60 - 2 * wall_mm), -(20 - wall_mm), taper=taper_deg
    )
    return outer - inner


def test_boss_is_a_pillar_with_a_hole_on_its_axis() -> None:
    """Neither a hole beside it, nor one across it, nor one as wide as itself makes another one."""
    boss = Pos(0, 0, 5.4) * (Cylinder(3.5, 6.001) - Cylinder(2, 20))
    others = [Pos(20, 0, 0) * Cylinder(1, 20), Pos(-20, 0, 0) * Cylinder(3.5, 20)]
    across = Pos(0, 0, 6) * Rot(0, 90, 0) * Cylinder(0.8, 20)
    for plate in (drafted(80, 60, 2.4, 2) + boss - others, drafted(80, 60, 2.4, 2) + boss - across):
        found = [each for each in BENCH.findings(mesh_of(plate), order("abs")) if each.rule == "mould_boss"]
        assert {round(each.measured or 0.0, 3) for each in found} == {1.5}


def test_rounded_inner_edges_have_no_other_warnings() -> None:
    plate = tray(2)
    inner = plate.edges().filter_by(lambda edge: abs(edge.center().Z - 2) < 0.01 and abs(edge.center().X) < 38.5)
    rounded = fillet(inner.filter_by(Axis.X) + inner.filter_by(Axis.Y), 1.5)
    assert len(warnings(BENCH.findings(mesh_of(rounded), order("abs"))) - {"mould_corner"}) == 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("turn", [(0, 0, 0), (15, 40, 70)])
def test_tilted_part_is_checked_along_its_own_axes(turn: tuple[float, float, float]) -> None:
    assert errors(BENCH.findings(mesh_of(Rot(*turn) * tray(2)), order("abs"))) == set()
