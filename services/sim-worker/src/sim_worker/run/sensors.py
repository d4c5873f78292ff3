"""The model's sensors: everything that is judged is measured in every step, by MuJoCo itself."""

from contracts.models.scene import Body, LoadedJoint, Scene, Weld

from sim_worker.mujoco_api import MjSpec, mujoco
from sim_worker.names import (
    GOAL,
    PAYLOAD,
    body_name,
    drive_name,
    forbid_name,
    joint_name,
    sensor_name,
    travel_name,
    weld_name,
)

FAR_M = 100.0
"""Distances above this are not told apart."""


def add_sensors(spec: MjSpec, scene: Scene, moving: tuple[Body, ...], welds: tuple[Weld, ...]) -> None:
    """Add the sensors that `Gauges` reads; `welds` are those that a site of the model stands for."""
    _watch_payload(spec, scene)
    for body in moving:
        _watch_moving(spec, scene, body)
    for joint in scene.joints:
        _watch_joint(spec, joint)
    for weld in welds:
        _watch_load(spec, "weld", weld.label, weld_name(weld.label))
    kinds = mujoco.mjtSensor
    for drive in scene.drives:
        shaft = {"objtype": mujoco.mjtObj.mjOBJ_ACTUATOR, "objname": drive_name(drive.label)}
        spec.add_sensor(name=sensor_name("drive_torque", drive.label), type=kinds.mjSENS_ACTUATORFRC, **shaft)
        spec.add_sensor(name=sensor_name("drive_speed", drive.label), type=kinds.mjSENS_ACTUATORVEL, **shaft)
    spec.add_sensor(name="kinetic_energy", type=kinds.mjSENS_E_KINETIC)
    spec.add_sensor(name="potential_energy", type=kinds.mjSENS_E_POTENTIAL)


def _watch_payload(spec: MjSpec, scene: Scene) -> None:
    kinds, xbody = mujoco.mjtSensor, mujoco.mjtObj.mjOBJ_XBODY
    for name, kind in (
        ("position", kinds.mjSENS_FRAMEPOS),
        ("quaternion", kinds.mjSENS_FRAMEQUAT),
        ("velocity", kinds.mjSENS_FRAMELINVEL),
    ):
        spec.add_sensor(name=name, type=kind, objtype=xbody, objname=PAYLOAD)
    zones = [(sensor_name("goal"), GOAL)]
    zones += [(sensor_name("forbid", zone.label), forbid_name(zone.label)) for zone in scene.forbid_zones]
    for name, zone in zones:
        _watch_distance(spec, name, zone)
    for body in scene.bodies:
        what = sensor_name("contact", body.label)
        _watch_contact(spec, what, body, (mujoco.mjtObj.mjOBJ_BODY, PAYLOAD))


def _watch_contact(spec: MjSpec, name: str, body: Body, thing: tuple[object, str]) -> None:
    """Measure whether something touches a body, and the depth of the deepest contact."""
    fields = mujoco.mjtConDataField
    found_and_depth = (1 << fields.mjCONDATA_FOUND.value) | (1 << fields.mjCONDATA_DIST.value)
    deepest, contacts = 1, 1
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        objname=body_name(body.origin, body.label),
        reftype=thing[0],
        refname=thing[1],
        intprm=[found_and_depth, deepest, contacts],
    )


def _watch_moving(spec: MjSpec, scene: Scene, body: Body) -> None:
    """Measure where a body is; of one of the design, also whether it touches a forbid zone."""
    kinds, xbody = mujoco.mjtSensor, mujoco.mjtObj.mjOBJ_XBODY
    name = body_name(body.origin, body.label)
    for what, kind in (
        ("moving_place", kinds.mjSENS_FRAMEPOS),
        ("moving_quaternion", kinds.mjSENS_FRAMEQUAT),
    ):
        spec.add_sensor(name=sensor_name(what, body.label), type=kind, objtype=xbody, objname=name)
    if body.origin == "environment":
        return
    for zone in scene.forbid_zones:
        what = sensor_name("part_forbid", body.label, zone.label)
        _watch_contact(spec, what, body, (mujoco.mjtObj.mjOBJ_GEOM, forbid_name(zone.label)))


def _watch_distance(spec: MjSpec, name: str, zone: str) -> None:
    """Measure how far the payload is from a zone. For parts of many geoms this would cost 1 us for each, each step."""
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_GEOMDIST,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=PAYLOAD,
        reftype=mujoco.mjtObj.mjOBJ_GEOM,
        refname=zone,
        cutoff=FAR_M,
    )


def _watch_joint(spec: MjSpec, joint: LoadedJoint) -> None:
    kinds = mujoco.mjtSensor
    position, velocity = kinds.mjSENS_JOINTPOS, kinds.mjSENS_JOINTVEL
    if joint.kind == "ball":
        position, velocity = kinds.mjSENS_BALLQUAT, kinds.mjSENS_BALLANGVEL
    for what, kind in (("joint_position", position), ("joint_velocity", velocity)):
        spec.add_sensor(
            name=sensor_name(what, joint.label),
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            objname=joint_name(joint.label),
        )
    if joint.kind == "cylindrical":
        spec.add_sensor(
            name=sensor_name("joint_travel", joint.label),
            type=kinds.mjSENS_JOINTPOS,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            objname=travel_name(joint.label),
        )
    _watch_load(spec, "joint", joint.label, joint_name(joint.label))


def _watch_load(spec: MjSpec, what: str, label: str, site: str) -> None:
    """Measure what the body of a site and its parent do to each other there."""
    for quantity, kind in (("force", mujoco.mjtSensor.mjSENS_FORCE), ("moment", mujoco.mjtSensor.mjSENS_TORQUE)):
        spec.add_sensor(
            name=sensor_name(f"{what}_{quantity}", label),
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            objname=site,
        )
