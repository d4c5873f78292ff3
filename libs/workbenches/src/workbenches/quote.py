"""Quotes: can a solid be made by a method from a material, and for how much?"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from build123d import Solid
from contracts.models.design import Finding, Method, PriceBreakdown
from parts_catalog.materials import MATERIALS, Material, materials_for
from parts_catalog.methods.workshop_figures import ToleranceClass

from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh
from workbenches.registry import WORKBENCHES

ChoiceRule = Literal["missing_method", "missing_material", "unknown_material", "unknown_tolerance"]
MOST_CHARS = 80
"""Of an invalid name in a message."""
_METHODS: dict[str, Method] = {method: method for method in WORKBENCHES}
_TOLERANCES: dict[str, ToleranceClass] = {name: name for name in get_args(ToleranceClass)}


class InvalidChoiceError(ValueError):
    """A method, material or tolerance class that a part cannot have; the message continues a sentence about it."""

    def __init__(self, rule: ChoiceRule, problem: str, choices: Iterable[str]) -> None:
        self.rule: ChoiceRule = rule
        self.problem = problem
        self.choices = ", ".join(choices)
        super().__init__(f"{problem}; choose one of {self.choices}")


@dataclass(frozen=True)
class PartQuote:
    """What a workbench answers about one part."""

    method: Method
    order: PartOrder
    findings: tuple[Finding, ...]
    price: PriceBreakdown
    """Of one piece; an estimate, whether or not the part is makeable."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that forbid making the part."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def advice(self) -> tuple[Finding, ...]:
        """The findings that cost money or quality and may stay."""
        return tuple(finding for finding in self.findings if finding.severity != "error")


def quote_part(solid: Solid, method: Method, order: PartOrder) -> PartQuote:
    """Check and price a single valid solid; the material must suit the method (see `choose_material`)."""
    mesh, workbench = PartMesh.of(solid), WORKBENCHES[method]
    findings = tuple(_on_drawn_face(mesh, finding) for finding in workbench.findings(mesh, order))
    return PartQuote(method, order, findings, workbench.price(mesh, order))


def _on_drawn_face(mesh: PartMesh, finding: Finding) -> Finding:
    """Return a finding with the index of the face of the solid as it was drawn: faces of one surface are joined."""
    if finding.face is None or finding.place_mm is None:
        return finding
    return finding.model_copy(update={"face": mesh.drawn_face(finding.face, finding.place_mm)})


def choose_method(name: str | None) -> Method:
    """Return the method of this name; raise `InvalidChoiceError`."""
    method = _METHODS.get(name or "")
    if method is not None:
        return method
    problem = "has no manufacturing method" if name is None else f"has the unknown method {name[:MOST_CHARS]!r}"
    raise InvalidChoiceError("missing_method", problem, WORKBENCHES)


def choose_material(material_id: str | None, method: Method | None) -> Material:
    """Return the material of this id; raise `InvalidChoiceError`, also if the method, where known, cannot use it."""
    usable = materials_for(method) if method else MATERIALS
    if material_id is None:
        raise InvalidChoiceError("missing_material", "has no material", usable)
    material = MATERIALS.get(material_id)
    if material is None:
        problem = f"has the unknown material {material_id[:MOST_CHARS]!r}"
        raise InvalidChoiceError("unknown_material", problem, usable)
    if method is not None and method not in material.methods:
        problem = f"is made of {material.id}, which needs {' or '.join(material.methods)}, not {method}"
        raise InvalidChoiceError("unknown_material", problem, usable)
    return material


def choose_tolerance_class(name: str | None) -> ToleranceClass:
    """Return the tolerance class of this name, medium if there is none; raise `InvalidChoiceError`."""
    tolerance_class = _TOLERANCES.get(name or "medium")
    if tolerance_class is not None:
        return tolerance_class
    problem = f"has the unknown tolerance class {(name or '')[:MOST_CHARS]!r} (ISO 2768)"
    raise InvalidChoiceError("unknown_tolerance", problem, _TOLERANCES)
