"""What is in a model besides machine and environment: physics' constants, light, zones and the payload."""

from contracts.models.benchmark import Payload
from contracts.models.geometry import Box
from contracts.models.scene import Scene

from sim_worker.media import colors
from sim_worker.model.contacts import FORBID_BIT, IMPRATIO, PAYLOAD_BIT, ROLLING_M, TORSION_M
from sim_worker.model.layers import FORBID_GROUP, ZONES_GROUP
from sim_worker.model.timing import Timing
from sim_worker.mujoco_api import MjsGeom, MjSpec, mujoco
from sim_worker.names import BUILD, GOAL, PAYLOAD, forbid_name
from sim_worker.units import GRAVITY_M_S2, metres, metres_each

SUN = (-0.20, 0.30, -0.93)
"""Where the light goes; unit length."""


def set_options(spec: MjSpec, timing: Timing, scene: Scene) -> None:
    """Set what rules the whole model."""
    spec.modelname = "millwright"
    spec.compiler.degree = False
    spec.option.timestep = timing.step_s
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = IMPRATIO
    spec.option.gravity = [0.0, 0.0, -GRAVITY_M_S2]
    # MuJoCo never lets a body touch the one it hangs on; we say for each pair what may not touch.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_FILTERPARENT.value
    spec.stat.center = metres_each(scene.build_zone.center_mm)
    spec.stat.extent = max(metres_each(scene.build_zone.size_mm))


def add_light(spec: MjSpec, scene: Scene) -> None:
    """Add a sun that shines through the middle of the build zone: there its shadows are sharpest."""
    reach_m = 2 * max(metres_each(scene.build_zone.size_mm))
    center_m = metres_each(scene.build_zone.center_mm)
    spec.worldbody.add_light(
        name="sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[place - reach_m * way for place, way in zip(center_m, SUN, strict=True)],
        dir=list(SUN),
        diffuse=[0.5, 0.5, 0.48],
    )


def add_zones(spec: MjSpec, scene: Scene) -> None:
    """Add the regions. Nothing collides with them; distance sensors see them all the same.

    Only moving parts of the design do collide with forbid zones, for that is found cheaply, and it ends the run.
    """
    _add_zone(spec, BUILD, scene.build_zone, colors.BUILD)
    _add_zone(spec, GOAL, scene.goal_zone, colors.GOAL)
    for forbid in scene.forbid_zones:
        added = _add_zone(spec, forbid_name(forbid.label), forbid.box, colors.FORBID)
        added.group = FORBID_GROUP
        added.contype = FORBID_BIT


def _add_zone(spec: MjSpec, name: str, box: Box, rgba: colors.Rgba) -> MjsGeom:
    return spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=metres_each(box.center_mm),
        size=[metres(length) / 2 for length in box.size_mm],
        contype=0,
        conaffinity=0,
        group=ZONES_GROUP,
        castshadow=False,
        rgba=list(rgba),
    )


def add_payload(spec: MjSpec, payload: Payload) -> None:
    """Add the payload.

    Its friction is the larger in every contact, since the geometry that meets it has none; and its contacts are as
    lively as the other side says, since its own `solmix` is nothing.
    """
    is_ball = payload.shape == "ball"
    radius_m = metres(payload.size_mm) / 2
    body = spec.worldbody.add_body(name=PAYLOAD, pos=metres_each(payload.start_mm))
    body.add_freejoint(name=PAYLOAD)
    body.add_geom(
        name=PAYLOAD,
        type=mujoco.mjtGeom.mjGEOM_SPHERE if is_ball else mujoco.mjtGeom.mjGEOM_BOX,
        size=[radius_m, radius_m, radius_m],
        density=payload.density_kg_m3,
        friction=[payload.friction, TORSION_M, ROLLING_M],
        condim=6 if is_ball else 4,
        contype=PAYLOAD_BIT,
        conaffinity=0,
        solmix=0.0,
        rgba=list(colors.PAYLOAD),
    )
