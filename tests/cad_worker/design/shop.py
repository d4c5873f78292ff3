"""Makes parts as a kernel would hand them over, and has them judged."""

from dataclasses import dataclass

from build123d import Box as Block
from build123d import Compound, Location, Part
from cad_worker.exchange import DesignInWorld, EnvironmentGeometry, Judgement
from cad_worker.jobs.capture import capture_design
from cad_worker.jobs.judging import judge
from contracts.benchmark import Assignment, Limits, Variant
from contracts.geometry import Vector

NO_LIMITS = Limits()


@dataclass(frozen=True)
class Shop:
    """Makes parts and has them judged."""

    variant: Variant
    environment: EnvironmentGeometry

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
        part = Block(*size).moved(Location(center, rotation))
        part.label = label
        said = {"manufacturing_method": method, "material_id": material}
        vars(part)["metadata"] = {key: value for key, value in said.items() if value is not None}
        return part

    def request(self, *parts: Compound, limits: Limits = NO_LIMITS) -> DesignInWorld:
        return DesignInWorld(
            design=capture_design(Compound(label="machine", children=list(parts))),
            environment=self.environment,
            assignment=Assignment(variant=self.variant, limits=limits, quantity=100),
        )

    def judge(self, *parts: Compound, limits: Limits = NO_LIMITS) -> Judgement:
        return judge(self.request(*parts, limits=limits))

    def rules(self, *parts: Compound, limits: Limits = NO_LIMITS) -> list[tuple[str, str]]:
        """Return rule and label of every finding."""
        return [(finding.rule, finding.label) for finding in self.judge(*parts, limits=limits).findings]
