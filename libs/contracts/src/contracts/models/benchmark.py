"""A benchmark under one seed, its built environment, and the assignment made of it."""

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
from contracts.models.geometry import Box, Vector, overhang
from contracts.models.label import Label
from contracts.models.mechanism import CatalogId, Mechanism

MAX_DURATION_S = 300.0
"""Of a simulation, which keeps the readings of every step: some hundred megabytes for this time."""


class Zone(Model):
    """A named axis-aligned box."""

    label: Label
    box: Box


class Payload(Model):
    """The object that must be moved; it is released at rest."""

    label: Label = "payload"
    shape: Literal["ball", "cube"]
    size_mm: PositiveFloat
    """Diameter of a ball, edge length of a cube."""
    start_mm: Vector
    """Centre when it is released."""
    density_kg_m3: PositiveFloat
    friction: PositiveFloat
    """Coefficient of sliding friction of every contact of the payload."""

    @property
    def box(self) -> Box:
        """Bounding box of the payload at its start."""
        half = self.size_mm / 2
        x, y, z = self.start_mm
        return Box(min_mm=(x - half, y - half, z - half), max_mm=(x + half, y + half, z + half))


GoalRule = Literal["touch", "inside", "at_rest"]
"""What the payload must do for the hold time: touch the goal zone, be entirely inside it, or touch it at rest."""


class Limits(Model):
    """Upper limits on the price, mass and parts of the machine. None: no limit."""

    max_unit_price_usd: PositiveFloat | None = None
    max_mass_kg: PositiveFloat | None = None
    max_parts: PositiveInt | None = None

    def overridden_by(self, user: "Limits") -> "Limits":
        """Return these limits, each replaced by the user's limit if the user set one."""
        return self.model_copy(update=user.model_dump(exclude_none=True))


class Variant(Model):
    """One benchmark under one seed: zones, payload, limits and the code of its environment."""

    benchmark: Label
    title: str
    description: str
    """The task in prose for the agent, as Markdown."""
    seed: NonNegativeInt
    level: Literal[1, 2, 3]
    bounds: Box
    """Limits of the world: a payload or a part of the machine that leaves them is lost."""
    build_zone: Box
    """Every part must be entirely inside when the run begins; while it works, it may move out."""
    goal_zone: Box
    forbid_zones: tuple[Zone, ...] = ()
    payload: Payload
    hold_s: NonNegativeFloat = 1.0
    """How long the payload must fulfil the goal rule without a break."""
    goal_rule: GoalRule = "touch"
    duration_s: PositiveFloat = 10.0
    """Time limit of the machine."""
    supply_limit_w: PositiveFloat | None = None
    """Limit on the power of all motors of the machine together at any moment. None: no limit."""
    environment_code: ArtifactRef
    """The text of environment.py, which runs only in a sandboxed kernel."""

    @model_validator(mode="after")
    def _require_zones_inside_bounds(self) -> Self:
        inner = {"build_zone": self.build_zone, "goal_zone": self.goal_zone, "payload": self.payload.box}
        inner |= {zone.label: zone.box for zone in self.forbid_zones}
        for name, box in inner.items():
            if beyond := overhang(box, self.bounds):
                raise ValueError(f"{name} must be inside bounds, but {beyond}")
        return self


class Solid(Model):
    """One solid of the environment, without its exact shape."""

    label: Label
    box: Box
    """Its bounding box; the exact shape is in the B-rep."""
    material_id: str | None = None
    """Material of a solid that moves. None: fixed, unless the solid is a bought part."""
    catalog_id: CatalogId | None = None
    """Catalog id of a bought motor."""
    is_mountable: bool = True
    """Whether parts of the design may be glued or screwed to it."""


class Environment(Model):
    """The exact geometry that environment.py built; an engineer can read it but not change it."""

    digest: Sha256
    """Digest of the geometry; a submission is judged against it."""
    brep: ArtifactRef
    step: ArtifactRef
    glb: ArtifactRef
    solids: tuple[Solid, ...]
    mechanism: Mechanism = Mechanism()
    """Its own joints, motors and couplings."""


class Assignment(Model):
    """The engineer's task: the variant, its limits and the quantity."""

    variant: Variant
    limits: Limits
    """The benchmark's limits, each replaced by the user's limit where given."""
    quantity: PositiveInt = 100
    """Number of machines to make; they share the set-up costs."""


Executor = Literal["code", "tool_call", "single_pass"]
"""How the engineer acts: by cells in its kernel, by structured tool calls only, or by a single script."""


class Budget(Model):
    """Limits on the resources of a run."""

    max_steps: Annotated[int, Field(ge=1, le=1000)] = 40
    """Maximum number of the engineer's model calls."""
    deadline_s: PositiveFloat = 1800.0
    """Wall-clock time from the start of the run; waiting for a slot does not count."""
    max_tokens: PositiveInt | None = None
    """Maximum of input and output tokens of all model calls of the run. None: no limit."""
    max_cost_usd: PositiveFloat | None = None
    """Maximum cost of all model calls of the run. None: no limit."""
    max_rejections: NonNegativeInt = 3
    """How often plans or designs may be rejected before the run fails."""
