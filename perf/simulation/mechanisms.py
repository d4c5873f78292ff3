"""Gates and gears that hold, release and lift a ball: `python -m perf.simulation.mechanisms [--replicas 29]`.

Scripts as engineers write them, judged and simulated with jittered replicas; the skill `mechanisms` has the figures.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from cad_worker.jobs.design import judge
from contracts.models.geometry import Box
from contracts.models.simulation import SimulationResult
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.measurements import setting, table
from tests.support.solids.ramp_environment import RAMP, RampEnvironment, at, ball, box

PACKAGES = ("mujoco", "numpy", "build123d")
BUILD_ZONE = box((-300, -250, 0), (300, 390, 500))
BALL_MM = 40.0
CHANNEL_GOAL = box((110, 150, 20), (150, 250, 120))
TRAY_GOAL = box((40, -30, 155), (90, 30, 190))
GATE = """
from build123d import *
from utils import ManufacturingMethod, Positions, bonded, catalog_part, drive

RAMP = Pos(0, 200, 60) * Rot(0, 5, 0)
parts = {{}}


def printed(label, part):
    parts[label] = RAMP * part
    parts[label].label = label
    parts[label].metadata = {{"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "petg"}}


for side in (-1, 1):
    printed(f"wall-{{side + 1}}", Pos(0, side * 29.5, 16.01) * Box(290, 3, 32))
printed("end", Pos(140, 0, 16.01) * Box(3, 55.98, 32))
printed("post", Pos(10.35, 36, 25.08) * Box(40.7, 7.9, 50.14))
printed("flap", Pos(0, 0, 33) * Box(4, 50, 54))
servo = RAMP * Pos(0, 32.1, 60.02) * Rot(90, 0, 0) * catalog_part("mg996r")
servo.label = "servo"
axis = RAMP * Pos(0, 29, 60)
hinge = RevoluteJoint("hinge", parts["post"], axis=Axis(axis.position, (0, 1, 0)), angular_range=(-95, 95))
hinge.connect_to(RigidJoint("bore", parts["flap"], hinge.location), angle=0)
assembly = Compound(label="machine", children=[*parts.values(), servo])
assembly.metadata = {{
    "mechanism": [
        *[bonded(parts[name], "ramp") for name in ("wall-0", "wall-2", "post")],
        *[bonded(parts["end"], parts[name]) for name in ("wall-0", "wall-2")],
        bonded(servo, parts["post"]),
        drive(servo, joint=hinge, control=Positions(times_s={times_s}, targets={targets})),
    ]
}}
"""
GEARS = """
from build123d import *
from utils import ManufacturingMethod, Positions, bonded, catalog_part, drive, gears

PINION_MM, WHEEL_MM, LIFTS_S = {pinion_mm}, {wheel_mm}, {lifts_s}
shares = [step / {steps} for step in range({steps} + 1)]
x = -PINION_MM - WHEEL_MM
post = Pos(x / 2, -31.45, 35) * Box(-x + 90, 42.9, 70)
servo = Pos(x, -10, 79.85) * Rot(-90, 0, 0) * catalog_part("mg996r")
pinion = Pos(x, -5, 79.85) * Rot(90, 0, 0) * Cylinder(PINION_MM, 6)
wheel = Pos(0, -5, 79.85) * Rot(90, 0, 0) * Cylinder(WHEEL_MM, 6)
beam = Pos(40, 3.01, 79.85) * Box(100, 10, 10)
tray = Pos(110, 0, 92.85) * Box(60, 60, 36) - Pos(110, 0, 98.85) * Box(54, 54, 36)
arm = beam + tray
for label, part in (("post", post), ("servo", servo), ("pinion", pinion), ("wheel", wheel), ("arm", arm)):
    part.label = label
for part in (post, pinion, wheel, arm):
    part.metadata = {{"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "petg"}}
turn = RevoluteJoint("turn", post, axis=Axis((x, 0, 79.85), (0, 1, 0)), angular_range=(-10, 130))
turn.connect_to(RigidJoint("bore", pinion, turn.location), angle=0)
lift = RevoluteJoint("lift", post, axis=Axis((0, 0, 79.85), (0, 1, 0)), angular_range=(-90, 30))
lift.connect_to(RigidJoint("hub", arm, lift.location), angle=0)
assembly = Compound(label="machine", children=[post, servo, pinion, wheel, arm])
ratio = -PINION_MM / WHEEL_MM
control = Positions(
    times_s=[0.5 + LIFTS_S * share for share in shares],
    targets=[-40 / ratio * (3 * share**2 - 2 * share**3) for share in shares],
)
assembly.metadata = {{
    "mechanism": [
        bonded(post, "floor"),
        bonded(servo, post),
        bonded(wheel, arm),
        gears("turn", "lift", ratio=ratio),
        drive(servo, joint="turn", control=control),
    ]
}}
"""


class Tried(NamedTuple):
    """What replicas of one design did."""

    result: SimulationResult

    @property
    def cells(self) -> tuple[str, ...]:
        """Replicas that arrived, the other endings, peak torque and its share of the stall torque."""
        endings = [replica.ending for replica in self.result.replicas]
        arrived = endings.count("reached_goal")
        others = ", ".join(sorted({each for each in endings if each != "reached_goal"})) or "-"
        (motor,) = self.result.motors
        share = motor.peak_torque_n_m / motor.stall_torque_n_m
        return f"{arrived} of {len(endings)}", others, f"{motor.peak_torque_n_m:.3f}", f"{share:.0%}"


HEAD = ("arrived", "other endings", "peak torque, N m", "of stall torque")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Gates and gears.")
    parser.add_argument("--replicas", type=int, default=29)
    replicas = parser.parse_args().replicas
    print(f"# Gates and gears\n\n{setting(PACKAGES)}\n\n## Gates\n", flush=True)
    print(table(("flap", "opens in, s", *HEAD), list(_gates(replicas))), flush=True)
    print(f"\n## Gears\n\n{table(('motion', 'lifts in, s', 'pinion, mm', 'wheel, mm', *HEAD), list(_gears(replicas)))}")


def _gates(replicas: int) -> Iterator[tuple[str, ...]]:
    """A flap of 54 mm hangs into a channel of 56 mm on a slope of 5 degrees and opens 1.5 s after the release."""
    for way, angle in (("with the flow", -90), ("against the flow", 90)):
        for opening_s in (0.1, 0.25, 0.5, 1.0):
            times_s, targets = [1.5, 1.5 + opening_s], [0, angle]
            script = GATE.format(times_s=times_s, targets=targets)
            tried = _tried(script, at(RAMP, (-60, 0, BALL_MM / 2 + 0.5)), CHANNEL_GOAL, replicas)
            yield way, f"{opening_s:g}", *tried.cells


def _gears(replicas: int) -> Iterator[tuple[str, ...]]:
    """A servo lifts a ball in a tray by 40 degrees, 110 mm from the axis."""
    for steps, motion in ((1, "linear"), (24, "eased")):
        for lifts_s in (0.75, 3.0):
            for pinion_mm, wheel_mm in ((20, 20), (12, 36)):
                script = GEARS.format(pinion_mm=pinion_mm, wheel_mm=wheel_mm, lifts_s=lifts_s, steps=steps)
                tried = _tried(script, (110, 0, 101.5), TRAY_GOAL, replicas)
                yield motion, f"{lifts_s:g}", f"{pinion_mm}", f"{wheel_mm}", *tried.cells


def _tried(script: str, start_mm: tuple[float, float, float], goal: Box, replicas: int) -> Tried:
    world = RampEnvironment.of(
        build_zone=BUILD_ZONE, payload=ball(start_mm, BALL_MM), goal_zone=goal, duration_s=8.0, hold_s=1.0
    )
    judged = judge(world.request_from_script(script))
    assert judged.scene is not None, [finding.detail for finding in judged.findings]
    return Tried(Simulator(2).simulate(judged.scene, SimulationSettings(replicas=replicas, seed=1)).result)


if __name__ == "__main__":
    main()
