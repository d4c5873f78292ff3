"""What physics needs to know of a world, and nothing else. Millimetres and degrees end here: see `sim_worker`."""

from typing import Literal

from pydantic import NonNegativeFloat, PositiveFloat

from contracts.benchmark import Label, Payload, Zone
from contracts.geometry import Box, Quaternion, Vector
from contracts.model import Model


class BoxGeom(Model):
    """A rotated box."""

    kind: Literal["box"] = "box"
    center_mm: Vector
    quaternion: Quaternion
    size_mm: Vector
    """Full edge lengths along the box's own axes."""


Geom = BoxGeom
"""Collision geometry: the shapes that physics can be trusted with."""


class Body(Model):
    """A rigid body that does not move: a part of the machine or of the environment."""

    label: Label
    origin: Literal["environment", "design"]
    geoms: tuple[Geom, ...]
    friction: PositiveFloat
    """Of body on body; the payload's own friction rules its contacts."""
    mass_kg: NonNegativeFloat
    color_rgba: tuple[float, float, float, float] = (0.7, 0.7, 0.7, 1.0)


class Scene(Model):
    """A world ready to be simulated."""

    bodies: tuple[Body, ...]
    payload: Payload
    goal_zone: Box
    forbid_zones: tuple[Zone, ...]
    build_zone: Box
    bounds: Box
    hold_s: NonNegativeFloat
    duration_s: PositiveFloat
