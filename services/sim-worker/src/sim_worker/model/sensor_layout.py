"""Columns of the model's sensors in a row of sensor data. `sensors.add_sensors` adds the sensors."""

from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from contracts.models.scene import Drive, LoadedJoint, Scene, Weld

from sim_worker.model.motor_programs import MotorProgram
from sim_worker.model.weld_shares import WeldShares
from sim_worker.mujoco_api import MjModel, mujoco
from sim_worker.names import body_name, joint_name, payload_sensor, sensor_name
from sim_worker.units import Floats, metres, metres_each

NOT_MEASURED = -1
"""Column of a quantity that is always zero and has no sensor."""
Columns = tuple[int, ...]


@dataclass(frozen=True)
class PayloadColumns:
    """The columns of one payload; of a vector, its first column."""

    position: slice
    quaternion: slice
    velocity: slice
    goal: int
    forbids: Columns
    """In the order of the scene's forbid zones that bind the payload."""
    contacts: Columns
    """In the order of the scene's bodies: 1 where the payload touches it; the next column is the depth, negative."""


@dataclass(frozen=True)
class SensorLayout(PayloadColumns):
    """Columns of a row of sensor data, with those of the first payload."""

    others: tuple["SensorLayout", ...] = ()
    """The layout of each further payload; it differs in the columns above only."""
    payload_contacts: Columns = ()
    """Of each pair of payloads: as `contacts`."""
    payload_pairs: tuple[tuple[int, int], ...] = ()
    """The pairs, by their indices."""
    contact_loads: dict[str, int] = field(default_factory=dict[str, int])
    """Of the bodies with a strength, by label: force, moment and their centre, 9 columns."""
    part_forbid_pairs: tuple[tuple[str, str], ...] = ()
    """Labels (body, zone) for every moving design body and every forbid zone."""
    part_forbids: Columns = ()
    moving: tuple[str, ...] = ()
    """Labels of all bodies that can move, in the order of the scene's bodies."""
    moving_positions: Columns = ()
    moving_quaternions: Columns = ()
    joints: tuple[LoadedJoint, ...] = ()
    joint_positions: Columns = ()
    joint_travels: Columns = ()
    joint_velocities: Columns = ()
    joint_forces: Columns = ()
    joint_moments: Columns = ()
    rack_couples: Floats | None = None
    """(3 x joints, drives): moment of the teeth on a rack about the anchor of its slide, for each N m of the motor, in
    the frame of the joint's site; MuJoCo's motors pull at the anchor. None: there are none."""
    joint_stops: Columns = ()
    """Force or moment of the end of a joint's range, where it is judged."""
    judged_welds: tuple[Weld, ...] = ()
    """Welds with a load limit, in the scene's order."""
    weld_forces: Columns = ()
    """Of the measured welds."""
    weld_moments: Columns = ()
    weld_shares: Floats | None = None
    """(6 x judged, 6 x measured): loads of the judged welds; None: judged and measured welds are the same."""
    weld_reactions: Floats | None = None
    """(6 x judged, drives): additional loads for each N m of a motor; None: there are none."""
    drive_torques: Columns = ()
    drive_speeds: Columns = ()
    drive_armatures_kg_m2: tuple[float, ...] = ()
    """Inertia of each motor's rotor and gearbox, as simulated."""
    energies: Columns = ()
    program: MotorProgram = field(default_factory=lambda: MotorProgram(()))

    @classmethod
    def of(cls, model: MjModel, scene: Scene, shares: WeldShares) -> "SensorLayout":
        """Return the layout of a compiled model."""
        row = _SensorColumns(model)
        part_zones = tuple(zone.label for zone in scene.part_forbids)
        labels = tuple(body.label for body in scene.bodies)
        judged = [index for index, weld in enumerate(scene.welds) if weld.max_force_n or weld.max_moment_n_m]
        judged_rows = [6 * index + component for index in judged for component in range(6)]
        moving = tuple(label for label in labels if row.has("moving_place", label))
        payloads = [_payload_columns(row, scene, index) for index in range(len(scene.payloads))]
        meetings = tuple(combinations(range(len(scene.payloads)), 2))
        pairs = tuple((label, zone) for label in labels for zone in part_zones if row.has("part_forbid", label, zone))
        layout = cls(
            **vars(payloads[0]),
            payload_contacts=tuple(
                row.named(payload_sensor(second, "payload_contact", str(first))) for first, second in meetings
            ),
            payload_pairs=meetings,
            contact_loads={
                label: row.first("contact_load", label) for label in labels if row.has("contact_load", label)
            },
            part_forbid_pairs=pairs,
            part_forbids=tuple(row.first("part_forbid", *pair) for pair in pairs),
            moving=moving,
            moving_positions=row.each("moving_place", moving),
            moving_quaternions=row.each("moving_quaternion", moving),
            joints=scene.joints,
            joint_positions=row.each("joint_position", _labels(scene.joints)),
            joint_travels=row.each("joint_travel", _labels(scene.joints)),
            joint_velocities=row.each("joint_velocity", _labels(scene.joints)),
            joint_forces=row.each("joint_force", _labels(scene.joints)),
            joint_moments=row.each("joint_moment", _labels(scene.joints)),
            rack_couples=_rack_couples(model, scene),
            joint_stops=row.each("joint_stop", _labels(scene.joints)),
            judged_welds=tuple(scene.welds[index] for index in judged),
            weld_forces=row.each("weld_force", _labels(shares.measured)),
            weld_moments=row.each("weld_moment", _labels(shares.measured)),
            weld_shares=shares.shares[judged_rows],
            weld_reactions=shares.reactions[judged_rows],
            drive_torques=row.each("drive_torque", _labels(scene.drives)),
            drive_speeds=row.each("drive_speed", _labels(scene.drives)),
            drive_armatures_kg_m2=tuple(float(each) for each in model.actuator_armature),
            energies=(row.first("kinetic_energy"), row.first("potential_energy")),
            program=MotorProgram.of(scene),
        )
        return replace(layout, others=tuple(replace(layout, **vars(each)) for each in payloads[1:]))


def _rack_couples(model: MjModel, scene: Scene) -> Floats | None:
    """Return the moments of teeth on racks about the anchors of their slides."""
    if all(drive.contact_mm is None for drive in scene.drives):
        return None
    indices = {joint.label: index for index, joint in enumerate(scene.joints)}
    bodies = {body.label: body for body in scene.bodies}
    couples = np.zeros((3 * len(scene.joints), len(scene.drives)))
    for column, drive in enumerate(scene.drives):
        if drive.contact_mm is None or drive.pinion_radius_mm is None:
            continue
        index = indices[drive.joint]
        joint, site = scene.joints[index], model.site(joint_name(drive.joint))
        child = bodies[joint.child]
        is_child = model.body(int(site.bodyid[0])).name == body_name(child.origin, child.label)
        force = (1.0 if is_child else -1.0) * np.array(joint.axis) / metres(drive.pinion_radius_mm)
        offset_m = np.array(metres_each(drive.contact_mm)) - np.array(metres_each(joint.anchor_mm))
        turned = np.zeros(9)
        mujoco.mju_quat2Mat(turned, np.array(site.quat))
        couples[3 * index : 3 * index + 3, column] = turned.reshape(3, 3).T @ np.cross(offset_m, force)
    return couples


def _payload_columns(row: "_SensorColumns", scene: Scene, index: int) -> PayloadColumns:
    def first(quantity: str, *labels: str) -> int:
        return row.named(payload_sensor(index, quantity, *labels))

    def vector(quantity: str, size: int) -> slice:
        return slice(first(quantity), first(quantity) + size)

    return PayloadColumns(
        position=vector("position", 3),
        quaternion=vector("quaternion", 4),
        velocity=vector("velocity", 3),
        goal=first("goal"),
        forbids=tuple(first("forbid", zone.label) for zone in scene.payload_forbids),
        contacts=tuple(first("contact", body.label) for body in scene.bodies),
    )


def _labels(things: tuple[LoadedJoint, ...] | tuple[Weld, ...] | tuple[Drive, ...]) -> tuple[str, ...]:
    return tuple(thing.label for thing in things)


@dataclass(frozen=True)
class _SensorColumns:
    """Finds the columns of sensors by quantity and labels."""

    model: MjModel

    def first(self, *name: str) -> int:
        return self.named(sensor_name(*name))

    def named(self, name: str) -> int:
        sensor = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SENSOR, name)
        return NOT_MEASURED if sensor < 0 else int(self.model.sensor_adr[sensor])

    def has(self, *name: str) -> bool:
        return self.first(*name) != NOT_MEASURED

    def each(self, quantity: str, labels: tuple[str, ...]) -> Columns:
        return tuple(self.first(quantity, label) for label in labels)
