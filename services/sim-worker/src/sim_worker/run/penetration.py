"""Nothing may stand inside anything when a run begins: contacts would throw it out."""

import numpy as np
from contracts.models.scene import Body

from sim_worker.model import World
from sim_worker.mujoco_api import MjData, mujoco
from sim_worker.names import PAYLOAD, body_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import Floats, metres, millimetres, place_mm

EXACT_M = 1e-4
"""Deeper than this is inside, not in touch."""


def tolerances_m(bodies: tuple[Body, ...]) -> Floats:
    """Return (bodies,) how deep something may stand in each at the start: as far as its geoms may stand out of it."""
    return np.array([metres(body.protrusion_mm) or EXACT_M for body in bodies])


def refuse_penetration(world: World) -> None:
    """Raise `SceneRejectedError` if any two colliding bodies begin inside each other; name them, depth and place."""
    data = mujoco.MjData(world.model)
    mujoco.mj_forward(world.model, data)
    found = [_depth(world, data, contact) for contact in range(data.ncon)]
    deepest = max((one for one in found if one is not None), key=_beyond, default=None)
    if deepest is None or _beyond(deepest) <= 0.0:
        return
    depth_m, _, said = deepest
    raise SceneRejectedError("initial_penetration", said.format(depth=f"{millimetres(depth_m):.2f} mm"))


def _depth(world: World, data: MjData, contact: int) -> tuple[float, float, str] | None:
    """Return how deep a contact is, how deep it may be, and how to say it; None for one with a zone."""
    bodies = {body_name(body.origin, body.label): body for body in world.scene.bodies}
    touched = data.contact[contact]
    names = [world.model.body(world.model.geom_bodyid[geom]).name for geom in touched.geom]
    parts = [bodies[name] for name in names if name in bodies]
    if len(parts) + (PAYLOAD in names) < len(names):
        return None
    allowed_m = float(tolerances_m(tuple(part for part in parts if part.protrusion_mm)).sum()) or EXACT_M
    x, y, z = place_mm(touched.pos)
    where = f"at ({x:.1f}, {y:.1f}, {z:.1f}) mm"
    if PAYLOAD in names:
        said = f"the payload starts {{depth}} inside {parts[0].label} ({parts[0].origin}) {where}; "
        return -float(touched.dist), allowed_m, said + "leave it free space where it is released"
    first, second = parts
    said = f"{first.label} ({first.origin}) starts {{depth}} inside {second.label} ({second.origin}) {where}; "
    return -float(touched.dist), allowed_m, said + "leave them clearance, or connect them if they are one"


def _beyond(found: tuple[float, float, str]) -> float:
    depth_m, allowed_m, _ = found
    return depth_m - allowed_m
