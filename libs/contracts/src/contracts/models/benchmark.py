"""A benchmark under one seed, its built environment, and the assignment made of it."""

from collections.abc import Sequence
from itertools import product
from math import cos, pi, sin
from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from contracts.criteria import JITTER_START_MM
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.geometry import UPRIGHT, Box, Quaternion, Vector, length_of, overhang, rotated
from contracts.models.label import Label
from contracts.models.mechanism import CatalogId, Mechanism

MAX_DURATION_S = 300.0
"""Of a simulation, which keeps the readings of every step: some hundred megabytes for this time."""


class Obstacle(Model):
    """A named axis-aligned box that the environment's code fills with something."""

    label: Label
    box: Box


Bound = Literal["parts", "payload", "both"]
"""Whom a forbid zone binds."""


class Zone(Model):
    """A named axis-aligned box."""

    label: Label
    box: Box
    binds: Bound = "both"
    """Who may not touch it, as a forbid zone: parts of the machine, the payload, or both."""


def binding(zones: Sequence[Zone], whom: Literal["parts", "payload"]) -> tuple[Zone, ...]:
    """Return the zones that bind the machine's parts, or the payload."""
    return tuple(zone for zone in zones if zone.binds in {whom, "both"})


class Draw(Model):
    """One random number of a variant."""

    name: str
    """Such as `scale_x` or `goal_zone.shrink_x`."""
    value: float


PayloadShape = Literal["ball", "cube", "box", "cylinder", "capsule", "solid"]
RIM_POINTS = 64
"""Corners that stand for the rim of a cylinder: they fall short of it by 0.12 % of its radius."""
UNIT_QUATERNION = 1e-6
"""How far the length of a rotation may be from 1."""


class Payload(Model):
    """The object that must be moved; it is released at its start."""

    label: Label = "payload"
    shape: PayloadShape
    """A cylinder and a capsule lie along their own z axis. `solid`: a convex one that the environment's code builds."""
    size_mm: PositiveFloat
    """Diameter of a ball, cylinder or capsule, edge length of a cube, longest edge of a box or of that around a
    solid."""
    edges_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat] | None = None
    """Edge lengths of a box, or of the box around a solid, along its own axes. None: of another shape."""
    length_mm: PositiveFloat | None = None
    """Whole length of a cylinder or capsule. None: of another shape."""
    hull_mm: tuple[Vector, ...] = ()
    """Corners of a solid, from its centre and along its own axes, once its environment is built."""
    start_mm: Vector
    """Centre when it is released; of a solid, the centre of the box around it along its own axes."""
    start_quaternion: Quaternion = UPRIGHT
    """How it is turned when it is released."""
    start_velocity_mm_s: Vector = (0.0, 0.0, 0.0)
    """Its velocity when it is released; it does not turn."""
    density_kg_m3: PositiveFloat
    friction: PositiveFloat
    """Coefficient of sliding friction against a like surface; two surfaces have the geometric mean of theirs."""
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """Share of the speed that remains after hitting a hard surface. None: 0.4."""
    material_id: str | None = None
    """Material of the catalog that its density, friction and restitution are those of. None: none of the catalog."""

    @model_validator(mode="after")
    def _require_measures_of_the_shape(self) -> Self:
        for field, value, shapes in (
            ("edges_mm", self.edges_mm, ("box", "solid")),
            ("length_mm", self.length_mm, ("cylinder", "capsule")),
        ):
            if (value is None) == (self.shape in shapes):
                fault = "is missing" if value is None else "has no meaning"
                raise ValueError(f"{field} {fault} for the shape {self.shape}")
        if self.shape == "capsule" and self.length_mm is not None and self.length_mm < self.size_mm:
            raise ValueError(f"length_mm is {self.length_mm:g}, less than the diameter of {self.size_mm:g} mm")
        if abs(length_of(self.start_quaternion) - 1) > UNIT_QUATERNION:
            raise ValueError(f"start_quaternion has the length {length_of(self.start_quaternion):g}, not 1")
        return self

    @property
    def extents_mm(self) -> Vector:
        """Size along its own axes."""
        if self.edges_mm is not None:
            return self.edges_mm
        return (self.size_mm, self.size_mm, self.size_mm if self.length_mm is None else self.length_mm)

    @property
    def size_text(self) -> str:
        """Its measures for a sentence."""
        if self.edges_mm is not None:
            return " x ".join(f"{edge:g}" for edge in self.edges_mm) + " mm"
        if self.length_mm is not None:
            return f"{self.size_mm:g} mm in diameter and {self.length_mm:g} mm long"
        return f"{self.size_mm:g} mm"

    @property
    def rounding_mm(self) -> float:
        """Radius by which the hull of `corners_mm` grows in all directions to the payload's shape."""
        return self.size_mm / 2 if self.shape in {"ball", "capsule"} else 0.0

    @property
    def corners_mm(self) -> tuple[Vector, ...]:
        """Points, from its centre and along its own axes, whose hull grown by `rounding_mm` is the payload's shape."""
        if self.hull_mm:
            return self.hull_mm
        x, y, z = (edge / 2 - self.rounding_mm for edge in self.extents_mm)
        if self.shape == "cylinder":
            turns = [2 * pi * point / RIM_POINTS for point in range(RIM_POINTS)]
            return tuple((x * cos(turn), y * sin(turn), height) for turn in turns for height in (-z, z))
        return tuple(dict.fromkeys(product((-x, x), (-y, y), (-z, z))))

    @property
    def box(self) -> Box:
        """Bounding box of the payload at its start."""
        x, y, z = self.start_mm
        corners = (rotated(corner, self.start_quaternion) for corner in self.corners_mm)
        return Box.around(((x + dx, y + dy, z + dz) for dx, dy, dz in corners), self.rounding_mm)


GoalRule = Literal["touch", "inside", "at_rest"]
"""What the payload must do for the hold time: touch the goal zone, be entirely inside it, or touch it at rest."""
MustArrive = Literal["all", "any"]
"""Which of several payloads must do so: all of them at the same time, or any one of them."""
MAX_PAYLOADS = 6
"""Of a world. Each has six degrees of freedom, and a sensor for every body of the world."""


def is_left_out(further: tuple[object, ...]) -> bool:
    """Tell whether a world has one payload: it is then written, and digested, as before there could be several."""
    return not further


def is_all(must_arrive: MustArrive) -> bool:
    """Tell whether the rule of arrival is the default one, which is not written either."""
    return must_arrive == "all"


PowerOwner = Literal["bench", "machine"]


def is_bench(power: PowerOwner) -> bool:
    """Tell whether power and control are the benchmark's own, which is not written either."""
    return power == "bench"


def is_unscaled(factor: float) -> bool:
    """Tell whether the limits are as the benchmark states them, which is not written either."""
    return factor == 1.0


def with_own_labels(first: Payload, more: tuple[Payload, ...]) -> tuple[Payload, ...]:
    """Return all payloads of a world; raise `ValueError` if two have the same label."""
    payloads = (first, *more)
    labels = [each.label for each in payloads]
    if len(set(labels)) < len(labels):
        raise ValueError(f"each payload must have its own label, but they are {', '.join(labels)}")
    return payloads


class Limits(Model):
    """Upper limits on the price, mass and parts of the machine. None: no limit."""

    max_unit_price_usd: PositiveFloat | None = None
    max_mass_kg: PositiveFloat | None = None
    max_parts: PositiveInt | None = None

    def overridden_by(self, user: "Limits") -> "Limits":
        """Return these limits, each replaced by the user's limit if the user set one."""
        return self.model_copy(update=user.model_dump(exclude_none=True))

    def scaled(self, factor: float) -> "Limits":
        """Return the same number of parts, and so many times the price and the mass."""
        price, mass = self.max_unit_price_usd, self.max_mass_kg
        return Limits(
            max_unit_price_usd=None if price is None else round(factor * price, 2),
            max_mass_kg=None if mass is None else round(factor * mass, 3),
            max_parts=self.max_parts,
        )


class BenchmarkFiles(Model):
    """The texts of a benchmark's folder."""

    benchmark_yaml: str = ""
    environment_py: str = ""
    witness_py: str = ""


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
    obstacles: tuple[Obstacle, ...] = ()
    """Boxes that the environment's code fills with solids."""
    payload: Payload
    more_payloads: Annotated[tuple[Payload, ...], Field(max_length=MAX_PAYLOADS - 1, exclude_if=is_left_out)] = ()
    """Payloads besides the first."""
    must_arrive: Annotated[MustArrive, Field(exclude_if=is_all)] = "all"
    """Which of several payloads must fulfil the goal rule for the hold time: all at the same time, or any one."""
    replica_jitter_mm: NonNegativeFloat = JITTER_START_MM
    """How far the start of a replica may be from that of the nominal run: to each side, and upwards."""
    hold_s: NonNegativeFloat = 1.0
    """How long the payload must fulfil the goal rule without a break."""
    goal_rule: GoalRule = "touch"
    duration_s: PositiveFloat = 10.0
    """Time limit of the machine."""
    supply_limit_w: PositiveFloat | None = None
    """Limit on the power of all motors of the machine together at any moment. None: no limit."""
    power: Annotated[PowerOwner, Field(exclude_if=is_bench)] = "bench"
    """Who owns supplies, drivers, controllers and cables: the benchmark, or the machine, which then pays for them."""
    environment_code: ArtifactRef
    """The text of environment.py, which runs only in a sandboxed kernel."""
    draws: tuple[Draw, ...] = ()
    """All random numbers that made the variant of its benchmark, in the order in which the seed gave them."""
    redraws: NonNegativeInt = 0
    """How many worlds of the seed were invalid before this one."""
    limits_factor: Annotated[PositiveFloat, Field(exclude_if=is_unscaled)] = 1.0
    """Factor of the benchmark's limits of price and mass in this world."""

    @model_validator(mode="after")
    def _require_zones_inside_bounds(self) -> Self:
        inner = {"build_zone": self.build_zone, "goal_zone": self.goal_zone, "payload": self.payload.box}
        inner |= {each.label: each.box for each in (*self.forbid_zones, *self.obstacles, *self.more_payloads)}
        for name, box in inner.items():
            if beyond := overhang(box, self.bounds):
                raise ValueError(f"{name} must be inside bounds, but {beyond}")
        return self

    @model_validator(mode="after")
    def _require_own_labels(self) -> Self:
        with_own_labels(self.payload, self.more_payloads)
        return self

    @property
    def payloads(self) -> tuple[Payload, ...]:
        """All payloads, in the order of the benchmark."""
        return (self.payload, *self.more_payloads)


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
    is_loose: bool = False
    """Whether it lies free and is pushed by what touches it."""
    is_moving: Annotated[bool, Field(exclude_if=is_left_out)] = False
    """Whether a loose one may move from the start: it falls, tips, or is hit."""


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
    payload_hull_mm: tuple[Vector, ...] = ()
    """Corners of a payload that is a solid; `Payload.hull_mm`."""
    more_payload_hulls_mm: Annotated[tuple[tuple[Vector, ...], ...], Field(exclude_if=is_left_out)] = ()
    """The same of each further payload; empty if none of them is a solid."""


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
