"""Makes parts as a kernel would hand them over, and has them judged."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from build123d import Box as Block
from build123d import Compound, Location, Part
from build123d.topology import Shape
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import DesignRequest, EnvironmentGeometry, Judgement, ShapesBySource
from cad_worker.jobs.design import judge
from contracts.models.benchmark import Assignment, Limits, Variant
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Coupling, Joint, Mechanism, Motor

NO_LIMITS = Limits()
Said = Joint | Connection | Motor | Coupling


@dataclass(frozen=True)
class Shop:
    """Makes parts and has them judged."""

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
        """Return a box by its label, full size, centre and rotation in degrees."""
        part: Part = self.made(label, Location(center, rotation) * Block(*size), method=method, material=material)
        return part

    def made(self, label: str, shape: Any, *, method: str | None = "3d_printing", material: str | None = "pla") -> Any:
        """Return a shape as a part."""
        shape.label = label
        said = {"manufacturing_method": method, "material_id": material}
        vars(shape)["metadata"] = {key: value for key, value in said.items() if value is not None}
        return shape

    def request(self, *parts: Shape[Any], limits: Limits = NO_LIMITS, mechanism: Sequence[Said] = ()) -> DesignRequest:
        """Return a design in its world; joints are said as data here, as the kernel hands them over."""
        design = capture_design(Compound(label="machine", children=list(parts)))
        return DesignRequest(
            design=design.model_copy(update={"mechanism": mechanism_of(*mechanism)}),
            environment=self.environment,
            assignment=Assignment(variant=self.variant, limits=limits, quantity=100),
            known=self.known,
        )

    def judge(self, *parts: Shape[Any], limits: Limits = NO_LIMITS, mechanism: Sequence[Said] = ()) -> Judgement:
        judgement = judge(self.request(*parts, limits=limits, mechanism=mechanism))
        self.known.update(judgement.computed)
        return judgement

    def rules(
        self, *parts: Shape[Any], limits: Limits = NO_LIMITS, mechanism: Sequence[Said] = ()
    ) -> list[tuple[str, str]]:
        """Return rule and label of every finding."""
        findings = self.judge(*parts, limits=limits, mechanism=mechanism).findings
        return [(finding.rule, finding.label) for finding in findings]

    def finding(self, *parts: Shape[Any], mechanism: Sequence[Said] = ()) -> Finding:
        """Return the only finding."""
        (finding,) = self.judge(*parts, mechanism=mechanism).findings
        return finding


def mechanism_of(*said: Said) -> Mechanism:
    """Return declarations in their order, each among its own."""
    return Mechanism(
        joints=tuple(each for each in said if isinstance(each, Joint)),
        connections=tuple(each for each in said if isinstance(each, Connection)),
        motors=tuple(each for each in said if isinstance(each, Motor)),
        couplings=tuple(each for each in said if isinstance(each, Coupling)),
    )
