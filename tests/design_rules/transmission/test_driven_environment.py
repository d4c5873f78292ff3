"""A fixed part in the path of what a motor of the environment moves gets a finding, wherever they meet."""

from typing import NamedTuple

import pytest
from benchmarks.loader import load
from contracts.models.benchmark import Variant
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection

from tests.support.designs import Designs
from tests.support.environment_build import build_from_script

WORLD = """
from build123d import *
from utils import *

def build(variant):
    floor = Pos(0, 0, -5) * Box(400, 400, 10)
    floor.label = "floor"
    motor_mm = {height}
    arm = Pos(-50, 0, motor_mm + 25) * Box(100, 6, 40)
    arm.label = "arm"
    arm.metadata = {{"material_id": "pom", "mountable": False}}
    {joint}
    motor = Pos(0, 0, motor_mm) * catalog_part("{motor}")
    motor.label = "motor"
    world = Compound(label="world", children=[floor, arm, motor])
    driven = drive(motor, joint=joint, control={control}{more})
    world.metadata = {{"mechanism": [*bond_contacts(motor, to=floor), driven]}}
    return world
"""
HINGE = """joint = RevoluteJoint("hinge", floor, axis=Axis((0, 0, motor_mm + 25), (0, 0, 1)), angular_range={limits})
    joint.connect_to(RigidJoint("edge", arm, joint.location), angle=0)"""
SLIDE = """joint = LinearJoint("slide", floor, axis=Axis((0, 0, motor_mm + 25), (0, 1, 0)), linear_range={limits})
    joint.connect_to(RigidJoint("edge", arm, Location((0, 0, motor_mm + 25))), position=0)"""
VOLTAGE = ("gm37d-12v-50", 54)


class Motion(NamedTuple):
    """How a motor moves the arm, and places in its path and beside it."""

    joint: str
    limits: str
    control: str
    reached: tuple[float, float]
    beside: tuple[float, float]
    motor: tuple[str, float] = ("mg996r", 42.9)
    """Id and height."""
    more: str = ""


def designs_in(variant: Variant, motion: Motion) -> Designs:
    """Return designs beside an arm of 100 mm along -x, which a motor moves by a program."""
    name, height = motion.motor
    joint = motion.joint.format(limits=motion.limits)
    script = WORLD.format(joint=joint, control=motion.control, motor=name, height=height, more=motion.more)
    build = build_from_script(script, variant)
    assert build.files is not None, build.fault
    return Designs(variant, build.files.geometry, dict(build.computed))


def found(designs: Designs, x: float, y: float, *, is_glued: bool = True) -> list[tuple[str, str]]:
    """Return rule and label of each finding that names the arm, about a post of 10 x 10 x 120 mm on the floor."""
    post = designs.part("post", (10, 10, 120), (x, y, 60))
    glue = [Connection(first="post", second="floor", means="bonded")] if is_glued else []
    findings = designs.judge(post, mechanism=glue).findings
    return [(each.rule, each.label) for each in findings if " arm" in each.detail]


HIT = [("environment_interference", "post")]
MOTIONS = [
    Motion(HINGE, "(-80, 80)", "Oscillation(amplitude=50, frequency_hz=0.5)", (-50, 50), (-15, 80)),
    Motion(HINGE, "(-80, 80)", "Positions(times_s=[1, 2], targets=[0, -60])", (-50, 70), (-50, -50)),
    Motion(HINGE, "(-80, 80)", "Positions(times_s=[99], targets=[-60])", (-80, 8), (-50, 70)),
    Motion(HINGE, "(0, 360)", "Constant(0.5)", (60, 60), (80, 80), VOLTAGE),
    Motion(HINGE, "(-10, 40)", "Steps(times_s=[1], shares=[0.5])", (-60, -40), (-60, 40), VOLTAGE),
    Motion(
        SLIDE,
        "(-1, 90)",
        "Positions(times_s=[5], targets=[80])",
        (-50, 60),
        (-50, 100),
        ("pololu-37d-50", 70),
        ", pinion_radius_mm=10",
    ),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("motion", MOTIONS, ids=lambda each: each.control)
def test_post_in_the_path_of_a_driven_solid_is_reported_and_one_beside_it_is_not(
    variant: Variant, motion: Motion
) -> None:
    designs = designs_in(variant, motion)
    assert found(designs, *motion.reached) == HIT
    assert found(designs, *motion.beside) == []
    assert found(designs, *motion.reached, is_glued=False) == [], "a part that nothing holds gives way"


def test_post_in_the_obstacle_that_sweeps_is_reported_with_the_place() -> None:
    loaded = load("sweeping-arm", 0)
    build = build_from_script(loaded.environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    designs = Designs(loaded.variant, build.files.geometry, dict(build.computed))
    box = loaded.variant.obstacles[0].box
    place: Vector = (box.center_mm[0] + 0.2 * box.size_mm[0], box.center_mm[1], 60)
    post = designs.part("post", (14, 14, 120), place)
    (finding,) = [
        each
        for each in designs.judge(post, mechanism=[Connection(first="post", second="ground", means="bonded")]).findings
        if each.rule == "environment_interference"
    ]
    assert finding.place_mm is not None
    assert max(abs(a - b) for a, b in zip(finding.place_mm, place, strict=True)) < 75
    assert "arm" in finding.detail
    assert "degrees" in finding.detail
