"""Rejection of scenes in which bodies overlap at the start: contact forces would throw them apart."""

from dataclasses import dataclass

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.scene import Body

from sim_worker.model import World
from sim_worker.mujoco_api import MjData, mujoco
from sim_worker.names import body_name, payload_name, the_payload
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats, metres, millimetres, vector_mm

CONTACT_DEPTH_M = 1e-4
"""The deepest overlap that still counts as touching, for exact geometry."""


@dataclass(frozen=True)
class _Overlap:
    depth_m: float
    allowed_m: float
    description: str
    """With `{depth}` in it."""
    label: str
    """Of a body that could give way: one of the design, if there is any."""
    place_mm: Vector

    @property
    def excess_m(self) -> float:
        return self.depth_m - self.allowed_m


def tolerances_m(bodies: tuple[Body, ...]) -> Floats:
    """Return (bodies,) the depth to which something may overlap with each body at the start."""
    return np.array([metres(body.protrusion_mm) or CONTACT_DEPTH_M for body in bodies])


def reject_penetration(world: World) -> None:
    """Raise `SceneRejectedError` if two colliding bodies overlap at the start, with labels, depth and position."""
    data = mujoco.MjData(world.model)
    mujoco.mj_forward(world.model, data)
    overlaps = [_overlap(world, data, contact) for contact in range(data.ncon)]
    deepest = max((each for each in overlaps if each is not None), key=_excess_m, default=None)
    if deepest is not None and deepest.excess_m > 0.0:
        depth = f"{millimetres(deepest.depth_m):.2f} mm"
        detail = deepest.description.format(depth=depth)
        raise SceneRejectedError("initial_penetration", detail, deepest.label, deepest.place_mm)


def _overlap(world: World, data: MjData, contact: int) -> _Overlap | None:
    """Return the overlap at a contact; None for a contact with a zone."""
    bodies = {body_name(body.origin, body.label): body for body in world.scene.bodies}
    touching = data.contact[contact]
    names = [world.model.body(world.model.geom_bodyid[geom]).name for geom in touching.geom]
    called = {payload_name(index): the_payload(world.scene, index) for index in range(len(world.scene.payloads))}
    parts = [bodies[name] for name in names if name in bodies]
    payloads = [called[name] for name in names if name in called]
    if len(parts) + len(payloads) < len(names):
        return None
    allowed_m = float(tolerances_m(tuple(part for part in parts if part.protrusion_mm)).sum()) or CONTACT_DEPTH_M
    place_mm = x, y, z = vector_mm(touching.pos)
    position = f"at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
    if payloads:
        other = f"{parts[0].label} ({parts[0].origin})" if parts else payloads[1]
        description = (
            f"{payloads[0]} starts {{depth}} inside {other} {position}; leave it free space where it is released"
        )
    else:
        first, second = parts
        description = (
            f"{first.label} ({first.origin}) starts {{depth}} inside {second.label} ({second.origin}) {position}; "
            "leave clearance between them, or connect them if they are one"
        )
    own = [part.label for part in parts if part.origin == "design"]
    label = next(iter([*own, *(part.label for part in parts), *payloads]))
    return _Overlap(-float(touching.dist), allowed_m, description, label, place_mm)


def _excess_m(overlap: _Overlap) -> float:
    return overlap.excess_m
