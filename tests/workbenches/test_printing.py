"""Rules and prices of the printing workbench, on parts with known results."""

from math import radians, tan
from typing import Any

import pytest
from build123d import Box, Cone, Cylinder, Pos
from build123d.topology import Shape
from workbenches.printing.bench import PrintingBench

from tests.workbenches.parts_and_orders import RepeatedBench, errors, mesh_of, order, warnings

BENCH = RepeatedBench(PrintingBench())


def spool(flare_deg: float) -> Shape[Any]:
    """A foot, a short neck and a head that flares at an angle from the vertical; laid on its side more of it hangs."""
    rise = 8 / tan(radians(flare_deg))
    head = Pos(0, 0, 8 + rise / 2) * Cone(10, 18, rise) + Pos(0, 0, 8 + rise + 10) * Cylinder(18, 20)
    return Pos(0, 0, 2) * Box(60, 60, 4) + Pos(0, 0, 6) * Cylinder(10, 4.001) + head


def arch(span_mm: float) -> Shape[Any]:
    """A hollow cube: it has a ceiling in every orientation."""
    return Box(span_mm + 12, span_mm + 12, span_mm + 12) - Pos(0, 0, 0) * Box(span_mm, span_mm, span_mm)


@pytest.mark.parametrize(("flare_deg", "hangs"), [(44, False), (46, True)])
def test_overhang_beyond_45_degrees_needs_support(flare_deg: float, hangs: bool) -> None:
    findings = BENCH.findings(mesh_of(spool(flare_deg)), order("pla"))
    assert errors(findings) == set()
    assert ("print_overhang" in warnings(findings)) == hangs
    if hangs:
        measured = [finding.measured for finding in findings if finding.rule == "print_overhang"]
        assert measured[0] == pytest.approx(46, abs=0.6)


def test_powder_has_no_overhang_findings() -> None:
    findings = BENCH.findings(mesh_of(spool(60)), order("pa12-sls"))
    assert {finding.rule for finding in findings}.isdisjoint({"print_overhang", "print_bridge"})


def test_part_too_long_for_small_printer_costs_more() -> None:
    small, large = (BENCH.price(mesh_of(Box(length, 30, 3)), order("pla")) for length in (250, 260))
    assert large.unit_price_usd > 1.3 * small.unit_price_usd
