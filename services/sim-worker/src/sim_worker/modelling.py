"""From a scene of the language to a model of MuJoCo, in SI."""

from dataclasses import dataclass

from contracts.benchmark import Payload
from contracts.geometry import Box
from contracts.scene import Body, BoxGeom, Scene

from sim_worker import gauges, looks
from sim_worker.engine import MjModel, MjSpec, mujoco
from sim_worker.gauges import Gauges
from sim_worker.naming import body_name, forbid_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.sensing import add_sensors
from sim_worker.units import GRAVITY_M_S2, Floats, metres, metres_each

STEP_S = 0.001
SMALL_STEP_S = 0.0005
SMALL_PAYLOAD_MM = 40.0
"""Payloads below this gain energy from nothing at the ordinary step."""
SOLREF = (0.005, 0.3)
"""Contacts: time constant in s, damping ratio; a ball dropped on them rebounds to about 14 % of its height."""
TORSION_M = 0.005
ROLLING_M = 0.0001
SUN = (-0.20, 0.30, -0.93)
"""Where the light goes; unit length."""
PARTS_GROUP, ZONES_GROUP, FORBID_GROUP = 0, 1, 2
"""Geom groups, so that a viewer can hide one kind."""


@dataclass(frozen=True)
class World:
    """A scene that can be simulated."""

    scene: Scene
    mjcf: str
    """The model as XML. It is what was compiled, so whoever opens it sees the very same physics."""
    model: MjModel
    step_s: float
    gauges: Gauges

    def controls(self, time_s: Floats) -> Floats:
        """Return (n, drives) what the motors are told at the times (n,)."""
        return self.gauges.program.controls(time_s)


def compile_scene(scene: Scene) -> World:
    """Return the scene as a model; raise `SceneRejectedError` when there is none."""
    _refuse_ambiguous_labels(scene)
    try:
        mjcf = _specify(scene).to_xml()
        model = mujoco.MjModel.from_xml_string(mjcf)
    except ValueError as error:
        raise SceneRejectedError("model_does_not_compile", f"MuJoCo refuses the model: {error}") from error
    return World(scene, mjcf, model, float(model.opt.timestep), Gauges.of(model, scene))


def _refuse_ambiguous_labels(scene: Scene) -> None:
    names = [body_name(body.origin, body.label) for body in scene.bodies]
    names += [forbid_name(zone.label) for zone in scene.forbid_zones]
    for name in names:
        if names.count(name) > 1:
            raise SceneRejectedError("scene_invalid", f"two things are called {name}; give each its own label")


def _specify(scene: Scene) -> MjSpec:
    spec = mujoco.MjSpec()
    spec.modelname = "millwright"
    spec.option.timestep = SMALL_STEP_S if scene.payload.size_mm < SMALL_PAYLOAD_MM else STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = [0.0, 0.0, -GRAVITY_M_S2]
    spec.stat.center = metres_each(scene.build_zone.center_mm)
    spec.stat.extent = max(metres_each(scene.build_zone.size_mm))
    _add_light(spec, scene)
    for body in scene.bodies:
        _add_body(spec, body)
    _add_zone(spec, gauges.BUILD, scene.build_zone, looks.BUILD, ZONES_GROUP)
    _add_zone(spec, gauges.GOAL, scene.goal_zone, looks.GOAL, ZONES_GROUP)
    for forbid in scene.forbid_zones:
        _add_zone(spec, forbid_name(forbid.label), forbid.box, looks.FORBID, FORBID_GROUP)
    _add_payload(spec, scene.payload)
    add_sensors(spec, scene, moving=(), welds=())
    return spec


def _add_light(spec: MjSpec, scene: Scene) -> None:
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


def _add_body(spec: MjSpec, body: Body) -> None:
    """Add a body that does not move: MuJoCo welds what has no joint to the world."""
    added = spec.worldbody.add_body(name=body_name(body.origin, body.label))
    volume_m3 = sum(_volume_m3(geom) for geom in body.geoms)
    for geom in body.geoms:
        added.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=metres_each(geom.center_mm),
            quat=list(geom.quaternion),
            size=[metres(length) / 2 for length in geom.size_mm],
            density=body.mass.mass_kg / volume_m3 if body.mass is not None and volume_m3 > 0 else 0.0,
            friction=[body.friction, TORSION_M, ROLLING_M],
            rgba=list(body.color_rgba),
        )


def _volume_m3(geom: BoxGeom) -> float:
    x, y, z = metres_each(geom.size_mm)
    return x * y * z


def _add_zone(spec: MjSpec, name: str, box: Box, rgba: looks.Rgba, group: int) -> None:
    """Add a region that nothing collides with; distance sensors see it all the same."""
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=metres_each(box.center_mm),
        size=[metres(length) / 2 for length in box.size_mm],
        contype=0,
        conaffinity=0,
        group=group,
        castshadow=False,
        rgba=list(rgba),
    )


def _add_payload(spec: MjSpec, payload: Payload) -> None:
    """Add the payload. It has priority, so that its friction rules every contact, as the language says."""
    is_ball = payload.shape == "ball"
    radius_m = metres(payload.size_mm) / 2
    body = spec.worldbody.add_body(name=gauges.PAYLOAD, pos=metres_each(payload.start_mm))
    body.add_freejoint(name=gauges.PAYLOAD)
    body.add_geom(
        name=gauges.PAYLOAD,
        type=mujoco.mjtGeom.mjGEOM_SPHERE if is_ball else mujoco.mjtGeom.mjGEOM_BOX,
        size=[radius_m, radius_m, radius_m],
        density=payload.density_kg_m3,
        friction=[payload.friction, TORSION_M, ROLLING_M],
        condim=6 if is_ball else 4,
        solref=list(SOLREF),
        priority=1,
        rgba=list(looks.PAYLOAD),
    )
