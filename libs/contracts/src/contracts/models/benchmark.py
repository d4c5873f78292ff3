"""A benchmark's world under one seed, as every service sees it."""

from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.geometry import Box, Vector
from contracts.models.label import Label
from contracts.models.mechanism import CatalogId, Mechanism


class Zone(Model):
    """A named axis-aligned region."""

    label: Label
    box: Box


class Payload(Model):
    """The object that must be moved. It is released at rest."""

    label: Label = "payload"
    shape: Literal["ball", "cube"]
    size_mm: PositiveFloat
    """Diameter of a ball, edge of a cube."""
    start_mm: Vector
    """Centre at the moment of release."""
    density_kg_m3: PositiveFloat
    friction: PositiveFloat
    """Sliding friction coefficient of every contact of the payload."""

    @property
    def box(self) -> Box:
        """The box around the payload at its start."""
        half = self.size_mm / 2
        x, y, z = self.start_mm
        return Box(min_mm=(x - half, y - half, z - half), max_mm=(x + half, y + half, z + half))


class Limits(Model):
    """What the finished machine may cost and weigh at most. None is no limit."""

    max_unit_price_usd: PositiveFloat | None = None
    max_mass_kg: PositiveFloat | None = None
    max_parts: PositiveInt | None = None

    def overridden_by(self, user: "Limits") -> "Limits":
        """Return these limits with every limit that the user set in its place."""
        return self.model_copy(update=user.model_dump(exclude_none=True))


class Variant(Model):
    """One benchmark under one seed: zones, payload, limits and the code of its environment."""

    benchmark: Label
    title: str
    description: str
    """Plain words for the agent, Markdown."""
    seed: NonNegativeInt
    level: Literal[1, 2, 3]
    bounds: Box
    """The world: a payload that leaves it is lost."""
    build_zone: Box
    """Every part must lie inside, and nowhere else."""
    goal_zone: Box
    forbid_zones: tuple[Zone, ...] = ()
    payload: Payload
    hold_s: NonNegativeFloat = 1.0
    """How long the payload must stay in touch with the goal zone."""
    duration_s: PositiveFloat = 10.0
    """How much time the machine has."""
    supply_limit_w: PositiveFloat | None = None
    """What all motors of the machine together may draw at any moment. None is no limit."""
    environment_code: ArtifactRef
    """The text of environment.py; run only inside a sandboxed kernel."""

    @model_validator(mode="after")
    def _zones_lie_in_bounds(self) -> Self:
        inner = {"build_zone": self.build_zone, "goal_zone": self.goal_zone, "payload": self.payload.box}
        inner |= {zone.label: zone.box for zone in self.forbid_zones}
        for name, box in inner.items():
            if not self.bounds.contains(box):
                raise ValueError(f"{name} must lie inside bounds")
        return self


class Solid(Model):
    """One solid of the environment, as far as words can tell it."""

    label: Label
    box: Box
    """The box around it; the true shape is in the B-rep."""
    material_id: str | None = None
    """Of what moves; None, unless it is bought, is fixed for ever."""
    catalog_id: CatalogId | None = None
    """Of a motor that is bought."""
    is_mountable: bool = True
    """Whether parts of the design may be glued or fastened to it."""


class Environment(Model):
    """What environment.py built: exact geometry, which an engineer can read and never change."""

    digest: Sha256
    """Of the geometry; a submission is judged against it."""
    brep: ArtifactRef
    step: ArtifactRef
    glb: ArtifactRef
    solids: tuple[Solid, ...]
    mechanism: Mechanism = Mechanism()
    """What moves in it by itself."""


class Assignment(Model):
    """What an engineer is asked to do; it travels with the run."""

    variant: Variant
    limits: Limits
    """The benchmark's limits, with the user's in their place where given."""
    quantity: PositiveInt = 100
    """How many machines will be ordered; set-up costs are shared among them."""


Executor = Literal["code", "tool_call", "single_pass"]
"""How the engineer acts: by cells in its kernel; by structured calls alone; or by one script, written in one go."""


class Budget(Model):
    """What a run may use up."""

    max_steps: Annotated[int, Field(ge=1, le=1000)] = 40
    """Model calls of the engineer."""
    deadline_s: PositiveFloat = 1800.0
    """Wall time from the request."""
    max_tokens: PositiveInt | None = None
    """Input and output tokens of all model calls of the run. None is no limit."""
    max_cost_usd: PositiveFloat | None = None
    """What the model calls of the run may cost. None is no limit."""
    max_rejections: NonNegativeInt = 3
    """How often plan or design may be rejected before the run fails."""
