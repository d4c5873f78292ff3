"""Parts, orders and workbenches of the tests."""

from typing import Any

from build123d.topology import Shape
from contracts.models.design import Finding, PriceBreakdown
from parts_catalog.materials import MATERIALS
from workbenches.interface import PartOrder, Workbench
from workbenches.part_mesh import PartMesh


def mesh_of(shape: Shape[Any]) -> PartMesh:
    (solid,) = shape.solids()
    return PartMesh.of(solid)


def order(material_id: str = "aluminum-6061", quantity: int = 100) -> PartOrder:
    return PartOrder(label="part", material=MATERIALS[material_id], quantity=quantity)


def errors(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity == "error"}


def warnings(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity == "warning"}


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
