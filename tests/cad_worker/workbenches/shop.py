"""Parts on a workbench."""

from typing import Any

from build123d.topology import Shape
from cad_worker.workbenches.interface import Order
from cad_worker.workbenches.part_mesh import PartMesh
from contracts.design import Finding
from kernel.materials import MATERIALS


def mesh_of(shape: Shape[Any]) -> PartMesh:
    (solid,) = shape.solids()
    return PartMesh.of(solid)


def order(material_id: str = "aluminum-6061", quantity: int = 100) -> Order:
    return Order(label="part", material=MATERIALS[material_id], quantity=quantity)


def errors(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity == "error"}


def warnings(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity == "warning"}
