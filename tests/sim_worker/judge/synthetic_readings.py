"""Synthetic sensor readings of a payload, a moving arm on a driven hinge, a weld and two zones."""

import numpy as np
from contracts.criteria import PRESSED_MM
from contracts.models.benchmark import Zone
from contracts.models.scene import Body, Drive, MassProperties, Scene, Weld
from contracts.models.simulation import ReplicaResult
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.judge import Judge
from sim_worker.judge.overload import OverloadMonitor
from sim_worker.judge.penetration import Clearances, PenetrationMonitor
from sim_worker.judge.rest_detection import RestDetector
from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.run.readings import Readings
from sim_worker.units import metres

from tests.sim_worker import scenes

STEP_S = 0.01
POSITION, QUATERNION, VELOCITY, GOAL, FORBID, PART_FORBID = slice(0, 3), slice(3, 7), slice(7, 10), 10, 11, 42
ARM_POSITION, ARM_QUATERNION, TORQUE, SPEED, WELD_FORCE, WELD_MOMENT = slice(13, 16), slice(16, 20), 20, 21, 22, 25
KINETIC, POTENTIAL, HINGE, HINGE_FORCE, HINGE_MOMENT, CONTACT = 28, 29, 30, 32, 35, 38
COLUMNS = 44
MOVING_KG = 0.5


def drive(label: str = "motor", **changes: object) -> Drive:
    return scenes.drive(label, "hinge", **({"no_load_speed_rad_s": 20.0, "no_load_current_a": 0.2} | changes))


def part(label: str, origin: str = "design", kg: float | None = 0.1) -> Body:
    mass = None if kg is None else MassProperties(mass_kg=kg, center_mm=(0, 0, 0), inertia_kg_m2=(1, 1, 1, 0, 0, 0))
    return scenes.block(label, (0, 0, 0), (10, 10, 10), origin).model_copy(update={"mass": mass})


def machine(**changes: object) -> Scene:
    """Return the scene of these readings; it is never compiled."""
    limits = {"angle_range_deg": (-10.0, 45.0), "max_force_n": 80.0, "max_moment_n_m": 3.0}
    hinge = scenes.joint("hinge", "revolute", "frame", "arm", (0, 0, 0), axis=(0.0, 0.0, 1.0), **limits)
    weld = Weld(
        label="screws",
        first="frame",
        second="ground",
        means="fastened",
        anchor_mm=(0, 0, 0),
        max_force_n=100.0,
        max_moment_n_m=2.0,
    )
    fields: dict[str, object] = {
        "bodies": (part("ground", "environment", None), part("frame"), part("arm"), part("motor")),
        "joints": (hinge,),
        "welds": (weld,),
        "drives": (drive(),),
        "forbid_zones": (Zone(label="lava", box=scenes.box((100, 100, 0), (200, 200, 50))),),
        "duration_s": 4.0,
    }
    return scenes.empty_scene(scenes.ball((0, 0, 0)), **(fields | changes))


def layout_of(scene: Scene) -> SensorLayout:
    return SensorLayout(
        position=POSITION,
        quaternion=QUATERNION,
        velocity=VELOCITY,
        goal=GOAL,
        forbids=(FORBID,),
        contacts=(CONTACT,) + (CONTACT + 2,) * (len(scene.bodies) - 1),
        part_forbid_pairs=(("arm", "lava"),),
        part_forbids=(PART_FORBID,),
        moving=("arm",),
        moving_positions=(ARM_POSITION.start,),
        moving_quaternions=(ARM_QUATERNION.start,),
        joints=scene.joints,
        joint_positions=(HINGE,),
        joint_velocities=(HINGE + 1,),
        joint_forces=(HINGE_FORCE,),
        joint_moments=(HINGE_MOMENT,),
        judged_welds=scene.welds,
        weld_forces=(WELD_FORCE,),
        weld_moments=(WELD_MOMENT,),
        drive_torques=(TORQUE,),
        drive_speeds=(SPEED,),
        energies=(KINETIC, POTENTIAL),
    )


def still(seconds: float, scene: Scene | None = None, step_s: float = STEP_S) -> Readings:
    """Return readings in which everything is still but the payload, which creeps so that the run is not settled."""
    steps = round(seconds / step_s)
    time_s = np.arange(steps).astype(np.float64) * step_s
    rows = np.zeros((steps, COLUMNS))
    rows[:, QUATERNION.start] = rows[:, ARM_QUATERNION.start] = 1.0
    rows[:, [GOAL, FORBID]] = 0.2
    rows[:, 1] = 1e-3 * time_s
    return Readings(time_s, rows, layout_of(scene or machine()))


def clearances_of(scene: Scene, *payloads: str) -> Clearances:
    """Return what may touch in a scene that has no model: anything, pressed as deep as a payload may be."""
    return Clearances(
        model=None,
        payload_m=np.full((len(payloads), len(scene.bodies)), metres(PRESSED_MM)),
        pairs_m=np.full(len(payloads) - 1, metres(PRESSED_MM)),
        payloads=payloads,
        labels=tuple(body.label for body in scene.bodies),
        design=frozenset(),
        protrusions_m={},
        without_contact=frozenset(),
        in_mesh=frozenset(),
        reaches_m=np.zeros(0),
    )


def new_judge(
    scene: Scene, step_s: float = STEP_S, last_command_s: float = 0.0, is_payload_alone: bool = False
) -> Judge:
    criteria = Criteria.of(scene, layout_of(scene))
    clearances = clearances_of(scene, "the payload")
    monitors = OverloadMonitor(criteria, step_s), EnergyMonitor(MOVING_KG, is_payload_alone)
    return Judge(criteria, *monitors, RestDetector(last_command_s), PenetrationMonitor(clearances))


def judged(
    readings: Readings,
    scene: Scene | None = None,
    chunk: int = 7,
    last_command_s: float = 0.0,
    is_payload_alone: bool = False,
) -> ReplicaResult:
    """Return the result of a judge that gets the readings in chunks of that many steps."""
    step_s = float(readings.time_s[1] - readings.time_s[0])
    judge = new_judge(scene or machine(), step_s, last_command_s, is_payload_alone)
    for first in range(0, len(readings.time_s), chunk):
        result = judge.evaluate(readings[first : first + chunk])
        if result is not None:
            return result
    raise AssertionError("the readings end before the run does")
