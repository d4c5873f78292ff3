"""The sensors of a MuJoCo model: MuJoCo measures everything that is judged, in every step."""

from contracts.models.scene import Body, LoadedJoint, Scene, Weld

from sim_worker.mujoco_api import MjSpec, mujoco
from sim_worker.names import (
    GOAL,
    body_name,
    drive_name,
    forbid_name,
    joint_name,
    payload_name,
    payload_sensor,
    sensor_name,
    travel_name,
    weld_name,
)

MAX_DISTANCE_M = 100.0
"""Larger distances are reported as this one."""


def add_sensors(spec: MjSpec, scene: Scene, moving: tuple[Body, ...], welds: tuple[Weld, ...]) -> None:
    """Add the sensors that `SensorLayout` locates; `welds` are those with a site in the model."""
    for index in range(len(scene.payloads)):
        _add_payload_sensors(spec, scene, index)
    for body in moving:
        _add_body_sensors(spec, scene, body)
    for body in scene.bodies:
        if body.strength is not None:
            _add_contact_load_sensor(spec, body)
    for joint in scene.joints:
        _add_joint_sensors(spec, joint)
    for weld in welds:
        _add_load_sensors(spec, "weld", weld.label, weld_name(weld.label))
    kinds = mujoco.mjtSensor
    for drive in scene.drives:
        shaft = {"objtype": mujoco.mjtObj.mjOBJ_ACTUATOR, "objname": drive_name(drive.label)}
        spec.add_sensor(name=sensor_name("drive_torque", drive.label), type=kinds.mjSENS_ACTUATORFRC, **shaft)
        spec.add_sensor(name=sensor_name("drive_speed", drive.label), type=kinds.mjSENS_ACTUATORVEL, **shaft)
    spec.add_sensor(name="kinetic_energy", type=kinds.mjSENS_E_KINETIC)
    spec.add_sensor(name="potential_energy", type=kinds.mjSENS_E_POTENTIAL)


def _add_payload_sensors(spec: MjSpec, scene: Scene, index: int) -> None:
    kinds, xbody, payload = mujoco.mjtSensor, mujoco.mjtObj.mjOBJ_XBODY, payload_name(index)
    for name, kind in (
        ("position", kinds.mjSENS_FRAMEPOS),
        ("quaternion", kinds.mjSENS_FRAMEQUAT),
        ("velocity", kinds.mjSENS_FRAMELINVEL),
    ):
        spec.add_sensor(name=payload_sensor(index, name), type=kind, objtype=xbody, objname=payload)
    zones = [(payload_sensor(index, "goal"), GOAL)]
    zones += [(payload_sensor(index, "forbid", zone.label), forbid_name(zone.label)) for zone in scene.payload_forbids]
    for name, zone in zones:
        _add_zone_distance(spec, name, payload, zone)
    itself = (mujoco.mjtObj.mjOBJ_BODY, payload)
    for body in scene.bodies:
        touched = body_name(body.origin, body.label)
        _add_contact_sensor(spec, payload_sensor(index, "contact", body.label), touched, itself)
    for other in range(index):
        _add_contact_sensor(spec, payload_sensor(index, "payload_contact", str(other)), payload_name(other), itself)


def _add_contact_sensor(spec: MjSpec, name: str, body: str, other: tuple[object, str]) -> None:
    """Measure whether a body touches another element (type, name), and the depth of the deepest contact."""
    fields = mujoco.mjtConDataField
    found_and_depth = (1 << fields.mjCONDATA_FOUND.value) | (1 << fields.mjCONDATA_DIST.value)
    deepest, contacts = 1, 1
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        objname=body,
        reftype=other[0],
        refname=other[1],
        intprm=[found_and_depth, deepest, contacts],
    )


def _add_contact_load_sensor(spec: MjSpec, body: Body) -> None:
    """Measure what a body exerts on everything that it touches: net force, moment and their centre, in the world."""
    fields, net, contacts = mujoco.mjtConDataField, 3, 1
    measured = (fields.mjCONDATA_FORCE, fields.mjCONDATA_TORQUE, fields.mjCONDATA_POS)
    spec.add_sensor(
        name=sensor_name("contact_load", body.label),
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        objname=body_name(body.origin, body.label),
        intprm=[sum(1 << field.value for field in measured), net, contacts],
    )


def _add_body_sensors(spec: MjSpec, scene: Scene, body: Body) -> None:
    """Measure the pose of a moving body; for one of the design, also whether it touches each forbid zone."""
    kinds, xbody = mujoco.mjtSensor, mujoco.mjtObj.mjOBJ_XBODY
    name = body_name(body.origin, body.label)
    for quantity, kind in (
        ("moving_place", kinds.mjSENS_FRAMEPOS),
        ("moving_quaternion", kinds.mjSENS_FRAMEQUAT),
    ):
        spec.add_sensor(name=sensor_name(quantity, body.label), type=kind, objtype=xbody, objname=name)
    if body.origin == "environment":
        return
    for zone in scene.part_forbids:
        sensor = sensor_name("part_forbid", body.label, zone.label)
        _add_contact_sensor(spec, sensor, name, (mujoco.mjtObj.mjOBJ_GEOM, forbid_name(zone.label)))


def _add_zone_distance(spec: MjSpec, name: str, payload: str, zone: str) -> None:
    """Measure the distance from a payload to a zone. For parts this would cost 1 us per geom in each step."""
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_GEOMDIST,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=payload,
        reftype=mujoco.mjtObj.mjOBJ_GEOM,
        refname=zone,
        cutoff=MAX_DISTANCE_M,
    )


def _add_joint_sensors(spec: MjSpec, joint: LoadedJoint) -> None:
    kinds = mujoco.mjtSensor
    position, velocity = kinds.mjSENS_JOINTPOS, kinds.mjSENS_JOINTVEL
    if joint.kind == "ball":
        position, velocity = kinds.mjSENS_BALLQUAT, kinds.mjSENS_BALLANGVEL
    measured = [
        ("joint_position", position, joint_name(joint.label)),
        ("joint_velocity", velocity, joint_name(joint.label)),
    ]
    if joint.kind == "cylindrical":
        measured.append(("joint_travel", kinds.mjSENS_JOINTPOS, travel_name(joint.label)))
    for quantity, kind, name in measured:
        spec.add_sensor(
            name=sensor_name(quantity, joint.label), type=kind, objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=name
        )
    if joint.max_stops is not None:
        spec.add_sensor(
            name=sensor_name("joint_stop", joint.label),
            type=kinds.mjSENS_JOINTLIMITFRC,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            objname=joint_name(joint.label),
        )
    _add_load_sensors(spec, "joint", joint.label, joint_name(joint.label))


def _add_load_sensors(spec: MjSpec, kind: str, label: str, site: str) -> None:
    """Measure force and moment between the body of a site and its parent."""
    for quantity, sensor in (("force", mujoco.mjtSensor.mjSENS_FORCE), ("moment", mujoco.mjtSensor.mjSENS_TORQUE)):
        spec.add_sensor(
            name=sensor_name(f"{kind}_{quantity}", label),
            type=sensor,
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            objname=site,
        )
