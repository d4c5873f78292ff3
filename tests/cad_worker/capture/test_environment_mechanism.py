"""Capture of the mechanism of an environment script."""

from cad_worker.job_protocol import EnvironmentScript
from cad_worker.jobs.environment import run_environment_script
from contracts.models.benchmark import Variant

GATE = """
from build123d import Axis, Box, Compound, Pos, RevoluteJoint, RigidJoint
from utils import Oscillation, bond_contacts, catalog_part, drive

def build(variant):
    floor = Pos(0, 0, -5) * Box(400, 400, 10)
    floor.label = "floor"
    floor.metadata = {"mountable": False}
    gate = Box(60, 6, 40)
    gate.label = "gate"
    gate.metadata = {"material_id": "pom"}
    hinge = RevoluteJoint("gate_hinge", floor, axis=Axis((0, 0, 25), (0, 0, 1)), angular_range=(-60, 60))
    hinge.connect_to(RigidJoint("edge", gate, Pos(-30, 0, 0)), angle=0)
    servo = Pos(0, 60, 42.9) * catalog_part("mg996r")
    servo.label = "servo"
    world = Compound(label="world", children=[floor, gate, servo])
    swing = Oscillation(amplitude=50, frequency_hz=0.5)
    world.metadata = {"mechanism": [*bond_contacts(servo, to=floor), drive(servo, joint=hinge, control=swing)]}
    return world
"""


def test_environment_mechanism_is_captured(variant: Variant) -> None:
    made = run_environment_script(EnvironmentScript(code=GATE, variant=variant))
    assert made.design is not None, made.problem
    floor, gate, servo = made.design.parts
    assert (floor.is_mountable, gate.is_mountable) == (False, True)
    assert (floor.material_id, gate.material_id, servo.catalog_id) == (None, "pom", "mg996r")
    mechanism = made.design.mechanism
    assert [(each.label, each.parent, each.child) for each in mechanism.joints] == [("gate_hinge", "floor", "gate")]
    assert [(each.first, each.second) for each in mechanism.connections] == [("servo", "floor")]
    assert [(each.part, each.joint) for each in mechanism.motors] == [("servo", "gate_hinge")]


def test_joint_that_came_apart_is_reported(variant: Variant) -> None:
    code = GATE.replace("    servo = Pos", "    gate.locate(Pos(0, 0, 99))\n    servo = Pos")
    made = run_environment_script(EnvironmentScript(code=code, variant=variant))
    assert made.design is None
    assert made.reason == "not_build123d"
    assert "'gate_hinge' of 'floor'" in made.problem
    assert "79.8 mm" in made.problem


def test_simulate_is_not_available_in_environment_scripts(variant: Variant) -> None:
    code = GATE.replace("    return world", "    from utils import simulate\n    simulate(world)")
    made = run_environment_script(EnvironmentScript(code=code, variant=variant))
    assert made.reason == "code_failed"
    assert "NotConnectedError: simulate" in made.problem
