"""Actuators: motors on the straight line of their data sheet, from stall to no load, at nominal voltage."""

from contracts.models.scene import Drive, LoadedJoint, Scene

from sim_worker.mujoco_api import MjModel, MjsActuator, MjSpec, mujoco
from sim_worker.names import drive_name, joint_name, travel_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.units import metres, radians

FULL_TORQUE_AT_DEG = 2.0
"""Position error at which a servo gives its stall torque: an estimate for hobby servos."""
START_S = 0.01
"""The least time in which an unloaded motor reaches 63 % of its speed: an estimate, since small gearmotors take 10 to
50 ms. Data sheets rarely list the inertia of rotor and gearbox, and every shaft has some."""
MAX_SERVO_RAD_S = 100.0
"""Natural frequency above which a controller with a small load would chatter at these time steps."""


def add_motors(spec: MjSpec, scene: Scene) -> None:
    """Add the actuators of a scene, in its order. `tune_servos` sets the controllers of servos."""
    joints = {joint.label: joint for joint in scene.joints}
    for drive in scene.drives:
        joint = joints[drive.joint]
        _reject_wrong_joint(drive, joint)
        made = spec.add_actuator(name=drive_name(drive.label), trntype=mujoco.mjtTrn.mjTRN_JOINT)
        moves_slide = joint.kind == "cylindrical" and drive.pinion_radius_mm is not None
        made.target = travel_name(joint.label) if moves_slide else joint_name(joint.label)
        made.gear[0] = 1.0 if drive.pinion_radius_mm is None else 1.0 / metres(drive.pinion_radius_mm)
        made.armature = max(drive.armature_kg_m2, START_S * drive.stall_torque_n_m / drive.no_load_speed_rad_s)
        _set_line(made, drive, inertia_kg_m2=1.0)


def tune_servos(spec: MjSpec, model: MjModel, scene: Scene) -> None:
    """Set each servo's controller for the inertia that it turns, which only a compiled model has."""
    for drive in scene.drives:
        if drive.mode == "position":
            made = spec.actuator(drive_name(drive.label))
            dof = model.jnt_dofadr[model.joint(made.target).id]
            _set_line(made, drive, float(model.dof_M0[dof]) / made.gear[0] ** 2)


def _set_line(made: MjsActuator, drive: Drive, inertia_kg_m2: float) -> None:
    line = [drive.nominal_voltage_v, drive.stall_torque_n_m, drive.no_load_speed_rad_s]
    if drive.mode == "voltage":
        made.set_to_dcmotor(motorconst=[0.0, 0.0], resistance=0.0, nominal=line)
        made.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
        made.ctrlrange = [-drive.nominal_voltage_v, drive.nominal_voltage_v]
        return
    proportional = min(drive.stall_torque_n_m / radians(FULL_TORQUE_AT_DEG), inertia_kg_m2 * MAX_SERVO_RAD_S**2)
    critical_damping = 2.0 * (proportional * inertia_kg_m2) ** 0.5
    made.set_to_dcmotor(
        motorconst=[0.0, 0.0],
        resistance=0.0,
        nominal=line,
        controller=[proportional, 0.0, critical_damping, 0.0, 0.0, drive.nominal_voltage_v],
        saturation=[drive.stall_torque_n_m, 0.0, 0.0],
        ctrlspec=mujoco.mjtCtrlInput.mjINPUT_POS.value,
    )


def _reject_wrong_joint(drive: Drive, joint: LoadedJoint) -> None:
    has_pinion = drive.pinion_radius_mm is not None
    fits = {"revolute": not has_pinion, "linear": has_pinion, "cylindrical": True, "ball": False}
    if not fits[joint.kind]:
        needs = {"revolute": "no pinion", "linear": "a pinion_radius_mm", "ball": "a joint with one axis"}[joint.kind]
        raise SceneRejectedError(
            "scene_invalid", f"motor {drive.label} on the {joint.kind} joint {joint.label} needs {needs}"
        )
