"""Designs as a kernel captures them, in one environment, and the findings about them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from build123d import Box as BoxShape
from build123d import Compound, Location, Part
from build123d.topology import Shape
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import Judgement
from cad_worker.jobs.design import judge
from contracts.models.benchmark import Assignment, Limits, Variant
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Coupling, Joint, Mechanism, Motor
from design_rules.design_data import DesignRequest, EnvironmentGeometry, ShapesBySource

NO_LIMITS = Limits()
MechanismItem = Joint | Connection | Motor | Coupling


@dataclass(frozen=True)
class Designs:
    """Builds designs in one environment and judges them."""

    variant: Variant
    environment: EnvironmentGeometry
    known: ShapesBySource = field(default_factory=dict[str, Any])
    """Collision geometry by its source, so that nothing is decomposed twice."""

    def part(
        self,
        label: str,
        size: Vector,
        center: Vector,
        *,
        rotation: Vector = (0, 0, 0),
        method: str | None = "3d_printing",
        material: str | None = "pla",
    ) -> Part:
        """Return a box of full size, with its centre and its rotation in degrees."""
        box: Part = self.as_part(label, Location(center, rotation) * BoxShape(*size), method=method, material=material)
        return box

    def as_part(
        self, label: str, shape: Any, *, method: str | None = "3d_printing", material: str | None = "pla"
    ) -> Any:
        """Return a shape with label and metadata."""
        shape.label = label
        metadata = {"manufacturing_method": method, "material_id": material}
        vars(shape)["metadata"] = {key: value for key, value in metadata.items() if value is not None}
        return shape

    def request(
        self, *parts: Shape[Any], limits: Limits = NO_LIMITS, mechanism: Sequence[MechanismItem] = ()
    ) -> DesignRequest:
        """Return a design in its environment; the mechanism is given as data, as a kernel captures it."""
        design = capture_design(Compound(label="machine", children=list(parts)))
        return DesignRequest(
            design=design.model_copy(update={"mechanism": mechanism_of(*mechanism)}),
            environment=self.environment,
            assignment=Assignment(variant=self.variant, limits=limits, quantity=100),
            known=self.known,
        )

    def judge(
        self, *parts: Shape[Any], limits: Limits = NO_LIMITS, mechanism: Sequence[MechanismItem] = ()
    ) -> Judgement:
        judgement = judge(self.request(*parts, limits=limits, mechanism=mechanism))
        self.known.update(judgement.computed)
        return judgement

    def rules(
        self, *parts: Shape[Any], limits: Limits = NO_LIMITS, mechanism: Sequence[MechanismItem] = ()
    ) -> list[tuple[str, str]]:
        """Return rule and label of every finding."""
        findings = self.judge(*parts, limits=limits, mechanism=mechanism).findings
        return [(finding.rule, finding.label) for finding in findings]

    def finding(self, *parts: Shape[Any], mechanism: Sequence[MechanismItem] = ()) -> Finding:
        """Return the only finding."""
        (finding,) = self.judge(*parts, mechanism=mechanism).findings
        return finding


def mechanism_of(*items: MechanismItem) -> Mechanism:
    return Mechanism(
        joints=tuple(each for each in items if isinstance(each, Joint)),
        connections=tuple(each for each in items if isinstance(each, Connection)),
        motors=tuple(each for each in items if isinstance(each, Motor)),
        couplings=tuple(each for each in items if isinstance(each, Coupling)),
    )
