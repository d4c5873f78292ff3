"""Rules and prices of the printing workbench, on parts with known results."""

from math import radians, tan
from typing import Any

import pytest
from build123d import Box, Cone, Cylinder, Pos, Rot, Sphere
from build123d.topology import Shape
from parts_catalog.materials import MATERIALS
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


def test_plain_box_has_no_findings() -> None:
    assert BENCH.findings(mesh_of(Box(40, 30, 20)), order("pla")) == ()


@pytest.mark.parametrize(("flare_deg", "hangs"), [(44, False), (46, True)])
def test_overhang_beyond_45_degrees_needs_support(flare_deg: float, hangs: bool) -> None:
    findings = BENCH.findings(mesh_of(spool(flare_deg)), order("pla"))
    assert errors(findings) == set()
    assert ("print_overhang" in warnings(findings)) == hangs
    if hangs:
        measured = [finding.measured for finding in findings if finding.rule == "print_overhang"]
        assert measured[0] == pytest.approx(46, abs=0.6)


def test_wedge_is_oriented_without_support() -> None:
    wedge = Box(40, 20, 30) - Pos(10, 0, -10) * Rot(0, 20, 0) * Box(40, 20, 20)
    assert "print_overhang" not in warnings(BENCH.findings(mesh_of(wedge), order("pla")))


@pytest.mark.parametrize(("span_mm", "severity"), [(9, None), (15, "info"), (25, "warning"), (35, "error")])
def test_bridge_severity_depends_on_span(span_mm: float, severity: str | None) -> None:
    findings = BENCH.findings(mesh_of(arch(span_mm)), order("pla"))
    bridges = [finding for finding in findings if finding.rule == "print_bridge"]
    assert [finding.severity for finding in bridges] == ([severity] if severity else [])
    if severity:
        assert bridges[0].measured == pytest.approx(span_mm, abs=0.01)


def test_powder_has_no_overhang_findings() -> None:
    findings = BENCH.findings(mesh_of(spool(60)), order("pa12-sls"))
    assert {finding.rule for finding in findings}.isdisjoint({"print_overhang", "print_bridge"})


def test_sealed_void_is_error_for_powder_only() -> None:
    mesh = mesh_of(Box(40, 40, 40) - Sphere(4))
    assert "print_sealed_void" in errors(BENCH.findings(mesh, order("pa12-sls")))
    assert "print_sealed_void" in warnings(BENCH.findings(mesh, order("pla")))


@pytest.mark.parametrize(("wall_mm", "severity"), [(0.7, "error"), (1.0, "warning"), (1.2, None), (2.0, None)])
def test_thin_filament_wall_severity(wall_mm: float, severity: str | None) -> None:
    tray = Box(60, 40, 15) - Pos(0, 0, 3) * Box(60 - 2 * wall_mm, 40 - 2 * wall_mm, 15)
    found = [each for each in BENCH.findings(mesh_of(tray), order("pla")) if each.rule == "print_thin_wall"]
    assert [finding.severity for finding in found] == ([severity] if severity else [])


def test_small_holes_and_pins_cause_warnings() -> None:
    assert "print_small_hole" in warnings(BENCH.findings(mesh_of(Box(20, 20, 8) - Cylinder(0.8, 8)), order("pla")))
    pin = Box(20, 20, 4) + Pos(0, 0, 6) * Cylinder(1.2, 8)
    assert "print_small_feature" in warnings(BENCH.findings(mesh_of(pin), order("pla")))


def test_part_larger_than_printer_is_error_with_size() -> None:
    finding = BENCH.findings(mesh_of(Box(400, 30, 30)), order("pa12-sls"))[0]
    assert (finding.rule, finding.limit) == ("print_too_large", 380)
    assert finding.measured == pytest.approx(400)
    assert "print_too_large" in errors(BENCH.findings(mesh_of(Box(1100, 30, 30)), order("pla")))


def test_part_too_long_for_small_printer_costs_more() -> None:
    small, large = (BENCH.price(mesh_of(Box(length, 30, 3)), order("pla")) for length in (250, 260))
    assert large.unit_price_usd > 1.3 * small.unit_price_usd


def test_support_volume_is_priced() -> None:
    with_support, without = (BENCH.price(mesh_of(spool(angle)), order("pla")) for angle in (60, 44))
    assert "cm3 of it support" in with_support.notes[0]
    assert "support" not in without.notes[0]


def test_powder_costs_more_than_filament() -> None:
    mesh = mesh_of(Box(40, 30, 20))
    assert 0 < BENCH.price(mesh, order("pla")).unit_price_usd < BENCH.price(mesh, order("pa12-sls")).unit_price_usd
    assert MATERIALS["pa12-sls"].density_kg_m3 == 1000
