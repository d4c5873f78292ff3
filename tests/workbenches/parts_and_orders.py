"""Parts, orders and workbenches of the tests."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from build123d import Rot
from build123d.topology import Shape
from contracts.models.design import Finding, PriceBreakdown
from parts_catalog.materials import MATERIALS
from workbenches.interface import PartOrder, Workbench
from workbenches.part_mesh import PartMesh

Drawn = Callable[[], Shape[Any]]
LimitRow = tuple[str, str, float | None, float | None]
"""Rule, severity, measured value and limit of a finding."""


def mesh_of(shape: Shape[Any]) -> PartMesh:
    (solid,) = shape.solids()
    return PartMesh.of(solid)


def order(material_id: str = "aluminum-6061", quantity: int = 100) -> PartOrder:
    return PartOrder(label="part", material=MATERIALS[material_id], quantity=quantity)


def errors(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity == "error"}


def warnings(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity == "warning"}


def assert_refused(findings: Callable[[Shape[Any]], tuple[Finding, ...]], shape: Shape[Any], rules: set[str]) -> None:
    """However the part is turned."""
    assert errors(findings(shape)) == rules
    assert errors(findings(Rot(20, 35, 50) * shape)) == rules


def assert_measured(found: Sequence[Finding], expected: LimitRow | None, accuracy_mm: float) -> None:
    """A part beyond one limit has one finding of its rule, and a part within all of them none."""
    if expected is None:
        assert not found
        return
    rule, severity, measured, limit = expected
    (finding,) = (each for each in found if each.rule == rule)
    assert finding.severity == severity
    assert finding.measured == pytest.approx(measured, abs=accuracy_mm)
    assert finding.limit == pytest.approx(limit)


class RepeatedBench:
    """A workbench that answers every question twice, the second time from a new mesh, and must answer alike."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        again = PartMesh.of(part.drawn)
        found = self._bench.findings(part, order)
        assert self._bench.findings(again, order) == found
        assert self._bench.price(again, order) == self._bench.price(part, order)
        return found

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        price = self._bench.price(part, order)
        assert self._bench.price(PartMesh.of(part.drawn), order) == price
        return price
