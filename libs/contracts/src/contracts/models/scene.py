"""The scene: the input of the physics simulation. `sim_worker` converts its millimetres and degrees to SI units.

All coordinates are world coordinates at the initial pose.
"""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveFloat, model_validator

from contracts.criteria import JITTER_START_MM
from contracts.model import Model
from contracts.models.benchmark import (
    MAX_PAYLOADS,
    GoalRule,
    MustArrive,
    Payload,
    Zone,
    binding,
    is_all,
    is_left_out,
    with_own_labels,
)
from contracts.models.geometry import Box, Quaternion, Vector
from contracts.models.label import PartLabel
from contracts.models.mechanism import Control, Coupling, Joint


class BoxGeom(Model):
    """A rotated box."""

    kind: Literal["box"] = "box"
    center_mm: Vector
    quaternion: Quaternion
    size_mm: Vector
    """Full edge lengths along the box's axes."""


class CylinderGeom(Model):
    """A cylinder along its own z axis."""

    kind: Literal["cylinder"] = "cylinder"
    center_mm: Vector
    quaternion: Quaternion
    radius_mm: PositiveFloat
    length_mm: PositiveFloat


class SphereGeom(Model):
    """A ball."""

    kind: Literal["sphere"] = "sphere"
    center_mm: Vector
    radius_mm: PositiveFloat


class HullGeom(Model):
    """The convex hull of points: a piece of a part that is not a primitive shape."""

    kind: Literal["hull"] = "hull"
    vertices_mm: Annotated[tuple[Vector, ...], Field(min_length=4, max_length=1000)]


Geom = Annotated[BoxGeom | CylinderGeom | SphereGeom | HullGeom, Field(discriminator="kind")]
"""A collision shape; physics handles only these reliably."""


class Surface(Model):
    """A closed triangle surface as packed bytes, for images only."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    vertices_mm: bytes
    """float32, little-endian, x y z of each vertex in world coordinates."""
    triangles: bytes
    """int32, little-endian, three indices of each triangle, counter-clockwise as seen from outside."""


class MassProperties(Model):
    """Mass properties of the exact shape, not of its collision shapes."""

    mass_kg: PositiveFloat
    center_mm: Vector
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    """xx, yy, zz, xy, xz, yz of the inertia tensor about `center_mm` along the world axes."""


class BeamSection(Model):
    """A plane section of a part across one of its axes."""

    center_mm: Vector
    area_mm2: PositiveFloat
    wall_mm: PositiveFloat
    """Twice the area over the length of all outlines: the thickness of a thin wall."""
    width_mm: PositiveFloat
    axes: tuple[Vector, Vector]
    """Principal axes in the section; the least moment is needed to bend it about the first."""
    second_moments_mm4: tuple[PositiveFloat, PositiveFloat]
    """About the axes."""
    moduli_mm3: tuple[PositiveFloat, PositiveFloat]
    """Section moduli about the axes."""


class Beam(Model):
    """A part as a beam along one of its two longest principal axes, cut in the middle of slices of equal thickness."""

    axis: Vector
    start_mm: float
    """Position of its first point along the axis, measured from the world's origin."""
    end_mm: float
    sections: Annotated[tuple[BeamSection, ...], Field(min_length=1)]


class PlaneCut(Model):
    """A plane through a part at which its section is weaker than beside it, whatever direction it faces."""

    axis: Vector
    """Unit normal."""
    center_mm: Vector
    """Centroid of the section."""
    area_mm2: PositiveFloat
    axes: tuple[Vector, Vector]
    """Principal axes in the section; the least moment is needed to bend it about the first."""
    moduli_mm3: tuple[PositiveFloat, PositiveFloat]
    """Section moduli about the axes."""
    twist_modulus_mm3: PositiveFloat
    """Torque over the greatest shear stress."""
    beyond_share: Annotated[float, Field(ge=0.0, le=1.0)]
    """Of the part's volume that is beyond the plane, along its axis."""
    beyond_center_mm: Vector
    """Centre of that volume."""


class SolidStress(Model):
    """What finite elements of the exact solid found about a part in the nominal run of its submission."""

    share: PositiveFloat = 1.0
    """Peak stress over that of beams, cuts and plates under the same loads: it corrects these in every run."""
    place_mm: Vector | None = None
    """Of the peak; None without an answer."""
    problem: str = ""
    """Why there is no answer, so that beams, cuts and plates decide."""


def _is_none(value: object) -> bool:
    """Tell whether a field that came later is absent: it is then left out, so that older digests stay valid."""
    return value is None


class Strength(Model):
    """What a part bears: its material, its sections as beams, and its weakest cuts."""

    material_id: str
    modulus_mpa: PositiveFloat
    """Young's modulus, as the part was made."""
    poisson_ratio: Annotated[float, Field(ge=0.0, lt=0.5)] = 0.35
    max_stress_mpa: PositiveFloat
    """Admissible stress: strength times the share that the process leaves of it, over the safety factor."""
    max_blow_mpa: PositiveFloat | None = None
    """Admissible stress at the peak of a blow, which is too short for creep. None: `max_stress_mpa`."""
    beams: Annotated[tuple[Beam, ...], Field(min_length=1)]
    cuts: tuple[PlaneCut, ...] = ()
    """The weakest first; none in scenes of older versions."""
    solid: Annotated[SolidStress | None, Field(exclude_if=_is_none)] = None
    """None: not analysed, as in previews."""


class Body(Model):
    """A rigid body: a part of the machine or of the environment."""

    label: PartLabel
    origin: Literal["environment", "design"]
    geoms: tuple[Geom, ...]
    """Collision shapes; together they fill the part, within the tolerance of the decomposition."""
    protrusion_mm: NonNegativeFloat = 0.0
    """Measured distance by which the collision shapes protrude from the part; 0 if they are exact."""
    surface_tolerance_mm: Annotated[NonNegativeFloat, Field(exclude_if=is_left_out)] = 0.0
    """By how much the surfaces of a made part may lie before or behind what is drawn: replicas draw it."""
    friction: PositiveFloat
    """Against an equal surface; two surfaces have the geometric mean of theirs."""
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] = 0.4
    """Share of the speed that remains after hitting a hard surface."""
    mass: MassProperties | None = None
    """None: the body is fixed."""
    is_moving: Annotated[bool, Field(exclude_if=is_left_out)] = False
    """Whether a loose body of the environment may move from the start."""
    strength: Strength | None = None
    """None: its stress and deflection are not judged, as those of the environment and of bought parts."""
    surface: Surface | None = None
    """None if `geoms` are the exact shape."""
    color_rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)


class GluedFace(Model):
    """The real face of a bond, with its principal axes through the weld's anchor."""

    strength_mpa: PositiveFloat
    """Of the bond, by the weaker of its two substrates."""
    area_mm2: PositiveFloat
    axes: tuple[Vector, Vector, Vector]
    second_moments_mm4: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    """Integrals of the squared distance from each axis, the least first; of a flat face the last is the polar one."""
    reaches_mm: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    """Largest distance of the face from each axis."""

    @property
    def max_moments_n_m(self) -> tuple[float, float, float]:
        """Moment about each axis that alone stresses the farthest point to the limit: strength x moment / reach."""
        first, second, third = (
            self.strength_mpa * moment / reach / 1000
            for moment, reach in zip(self.second_moments_mm4, self.reaches_mm, strict=True)
        )
        return first, second, third


class Weld(Model):
    """Two bodies that are rigidly connected as long as the connection is not overloaded."""

    label: PartLabel
    first: PartLabel
    second: PartLabel
    means: Literal["bonded", "fastened"]
    anchor_mm: Vector
    """Centre of the glued face or of the fasteners."""
    max_force_n: PositiveFloat | None = None
    """Maximum force in any direction. None: not checked."""
    max_moment_n_m: PositiveFloat | None = None
    """Maximum moment about the anchor; of a glued face, about its weakest axis."""
    face: GluedFace | None = None
    """Of a bond: force and moments about the three axes then count together, each as a share of its own limit."""
    places_mm: tuple[Vector, ...] = ()
    """Points that share the load of screws; none: the anchor, or the face."""


class LoadedJoint(Joint):
    """A joint with the friction and the load limits of its bearing."""

    friction_torque_n_m: NonNegativeFloat = 0.0
    """Friction torque without load, if the joint turns."""
    friction_force_n: NonNegativeFloat = 0.0
    """Friction force without load, if the joint slides."""
    friction_coefficient: NonNegativeFloat = 0.0
    """Friction over the forces that press in the bearing, which adds to that without load."""
    friction_radius_mm: NonNegativeFloat = 0.0
    """Distance from the axis at which they rub, if the joint turns."""
    max_force_n: PositiveFloat | None = None
    max_moment_n_m: PositiveFloat | None = None
    """Across the axis. None: not checked."""
    max_stops: tuple[PositiveFloat | None, PositiveFloat | None] | None = None
    """What the low and the high end of the range bear, N m if the joint turns, N if it slides. None: not checked, as
    where parts meet."""


class Drive(Model):
    """A motor on a joint, with data-sheet figures. Torques and speeds are those of the output shaft."""

    label: PartLabel
    """Label of the housing."""
    joint: PartLabel
    mode: Literal["voltage", "position"]
    nominal_voltage_v: PositiveFloat
    stall_torque_n_m: PositiveFloat
    no_load_speed_rad_s: PositiveFloat
    stall_current_a: PositiveFloat
    no_load_current_a: NonNegativeFloat = 0.0
    continuous_torque_n_m: PositiveFloat
    thermal_limit_s: PositiveFloat
    """How long it may exceed its continuous torque within any four times this long."""
    max_torque_n_m: PositiveFloat | None = None
    """What its shaft and the teeth behind it bear. None: not checked."""
    weakest: str = ""
    """What breaks beyond it."""
    armature_kg_m2: NonNegativeFloat = 0.0
    """Inertia of rotor and gearbox at the output shaft."""
    pinion_radius_mm: PositiveFloat | None = None
    """Radius of the pinion, if the joint slides."""
    contact_mm: Vector | None = None
    """Where its teeth touch the rack, at the start. None: on the line of the joint's anchor."""
    control: Control


class Scene(Model):
    """A validated design in its environment, ready for simulation."""

    bodies: tuple[Body, ...]
    welds: tuple[Weld, ...] = ()
    joints: tuple[LoadedJoint, ...] = ()
    drives: tuple[Drive, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    touching: tuple[tuple[PartLabel, PartLabel], ...] = ()
    """Pairs of bodies that touch by design: neighbours at a joint, meshing teeth of a coupling. Physics ignores the
    contacts of those that belong to the same machine, and checks that they stay clear of each other instead."""
    payload: Payload
    """Of several, the first."""
    more_payloads: Annotated[tuple[Payload, ...], Field(max_length=MAX_PAYLOADS - 1, exclude_if=is_left_out)] = ()
    """Payloads besides the first."""
    must_arrive: Annotated[MustArrive, Field(exclude_if=is_all)] = "all"
    """Which of several payloads must fulfil the goal rule for the hold time: all at the same time, or any one."""
    replica_jitter_mm: NonNegativeFloat = JITTER_START_MM
    """How far the start of a replica may be from that of the nominal run: to each side, and upwards."""
    goal_zone: Box
    forbid_zones: tuple[Zone, ...]
    build_zone: Box
    bounds: Box
    hold_s: NonNegativeFloat
    goal_rule: GoalRule = "touch"
    duration_s: PositiveFloat
    supply_limit_w: PositiveFloat | None = None
    """Limit on the power of all motors of the design together at any moment."""
    is_station_test: bool = False
    """Whether the payload starts where an agent put it to test one station; its result proves nothing."""

    @model_validator(mode="after")
    def _require_own_labels(self) -> Self:
        with_own_labels(self.payload, self.more_payloads)
        return self

    @property
    def payloads(self) -> tuple[Payload, ...]:
        """All payloads, in the order of the benchmark."""
        return (self.payload, *self.more_payloads)

    @property
    def payload_forbids(self) -> tuple[Zone, ...]:
        """The forbid zones that bind the payload."""
        return binding(self.forbid_zones, "payload")

    @property
    def part_forbids(self) -> tuple[Zone, ...]:
        """The forbid zones that bind the machine's parts."""
        return binding(self.forbid_zones, "parts")
