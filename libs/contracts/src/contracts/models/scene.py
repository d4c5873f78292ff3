"""What physics needs to know of a world, and nothing else. Millimetres and degrees end here: see `sim_worker`.

Everything is said in world coordinates, at the initial pose.
"""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveFloat

from contracts.model import Model
from contracts.models.benchmark import Payload, Zone
from contracts.models.geometry import Box, Quaternion, Vector
from contracts.models.label import Label
from contracts.models.mechanism import Control, Coupling, Joint


class BoxGeom(Model):
    """A rotated box."""

    kind: Literal["box"] = "box"
    center_mm: Vector
    quaternion: Quaternion
    size_mm: Vector
    """Full edge lengths along the box's own axes."""


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
    """The convex hull of points: a piece of a part that is no primitive."""

    kind: Literal["hull"] = "hull"
    vertices_mm: Annotated[tuple[Vector, ...], Field(min_length=4, max_length=1000)]


Geom = Annotated[BoxGeom | CylinderGeom | SphereGeom | HullGeom, Field(discriminator="kind")]
"""Collision geometry: the shapes that physics can be trusted with."""


class Surface(Model):
    """A closed surface of triangles, packed, for pictures alone."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    vertices_mm: bytes
    """float32, little-endian, x y z after each other; in the world."""
    triangles: bytes
    """int32, little-endian, three indices after each other, counter-clockwise seen from outside."""


class MassProperties(Model):
    """Of the exact shape, never of its collision geometry."""

    mass_kg: PositiveFloat
    center_mm: Vector
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    """xx, yy, zz, xy, xz, yz of the inertia tensor about `center_mm`, along the world's axes."""


class Body(Model):
    """A rigid body: a part of the machine or of the environment."""

    label: Label
    origin: Literal["environment", "design"]
    geoms: tuple[Geom, ...]
    """Together they fill the part, within the tolerance of its decomposition."""
    protrusion_mm: NonNegativeFloat = 0.0
    """How far they may stand out of the part, as they were measured; 0 where they are the part itself."""
    friction: PositiveFloat
    """Against a like surface; the payload's own friction rules its contacts."""
    restitution: Annotated[float, Field(ge=0.0, le=1.0)] = 0.4
    """Share of the speed that is left after hitting something hard."""
    mass: MassProperties | None = None
    """None: it is the ground, or as good as that; nothing moves it."""
    surface: Surface | None = None
    """None where the geoms are the exact shape."""
    color_rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)


class Weld(Model):
    """Two bodies that are one, as long as what holds them is not overloaded."""

    label: Label
    first: Label
    second: Label
    means: Literal["bonded", "fastened"]
    anchor_mm: Vector
    """Middle of the glued face or of the fasteners."""
    max_force_n: PositiveFloat | None = None
    """What it holds in any direction; None is not judged."""
    max_moment_n_m: PositiveFloat | None = None
    """About the anchor."""


class LoadedJoint(Joint):
    """A joint and what its bearing bears."""

    friction_torque_n_m: NonNegativeFloat = 0.0
    """Of what turns."""
    friction_force_n: NonNegativeFloat = 0.0
    """Of what slides."""
    max_force_n: PositiveFloat | None = None
    max_moment_n_m: PositiveFloat | None = None
    """Across the axis; None is not judged."""


class Drive(Model):
    """A motor on a joint, by its data sheet. Torques and speeds are those of its output shaft."""

    label: Label
    """Of its housing."""
    joint: Label
    mode: Literal["voltage", "position"]
    nominal_voltage_v: PositiveFloat
    stall_torque_n_m: PositiveFloat
    no_load_speed_rad_s: PositiveFloat
    stall_current_a: PositiveFloat
    no_load_current_a: NonNegativeFloat = 0.0
    continuous_torque_n_m: PositiveFloat
    thermal_limit_s: PositiveFloat
    """How long it may give more than its continuous torque without a break."""
    armature_kg_m2: NonNegativeFloat = 0.0
    """Inertia of rotor and gearbox, seen from the output shaft."""
    pinion_radius_mm: PositiveFloat | None = None
    """Of the pinion that moves a joint which slides."""
    control: Control


class Scene(Model):
    """A world ready to be simulated."""

    bodies: tuple[Body, ...]
    welds: tuple[Weld, ...] = ()
    joints: tuple[LoadedJoint, ...] = ()
    drives: tuple[Drive, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    touching: tuple[tuple[Label, Label], ...] = ()
    """Pairs of bodies whose overlap or contact is meant: neighbours of a joint, meshing teeth of a coupling."""
    payload: Payload
    goal_zone: Box
    forbid_zones: tuple[Zone, ...]
    build_zone: Box
    bounds: Box
    hold_s: NonNegativeFloat
    duration_s: PositiveFloat
    supply_limit_w: PositiveFloat | None = None
    """What all motors of the design together may draw at any moment."""
