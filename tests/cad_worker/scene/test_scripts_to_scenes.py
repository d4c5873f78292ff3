"""From a script that linters and kernels accept to a scene for physics."""

import pytest
from build123d import Compound
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import Judgement
from cad_worker.jobs.design import judge
from cad_worker.jobs.environment import load_environment
from cad_worker.utils_geometry.kernel_shapes import provide_utils
from contracts.models.benchmark import Assignment, Limits
from design_rules.design_data import DesignRequest

from tests.cad_worker.linting.sound import SOUND
from tests.support.designs import Designs


def judged(designs: Designs, script: str) -> Judgement:
    provide_utils()
    environment = load_environment(designs.environment)
    namespace: dict[str, object] = {"environment": environment}
    exec(script, namespace)
    assert isinstance(namespace["assembly"], Compound)
    return judge(
        DesignRequest(
            design=capture_design(namespace["assembly"], environment),
            environment=designs.environment,
            assignment=Assignment(variant=designs.variant, limits=Limits(), quantity=100),
        )
    )


def test_driven_hinge_becomes_welds_joint_and_drive(designs: Designs) -> None:
    verdict = judged(designs, SOUND["hinged"])
    assert verdict.findings == ()
    assert verdict.scene is not None
    assert {(each.first, each.second, each.means) for each in verdict.scene.welds} == {
        ("base", "leg_0", "bonded"),
        ("base", "leg_1", "bonded"),
        ("leg_0", "floor", "bonded"),
        ("leg_1", "floor", "bonded"),
        ("base", "servo", "fastened"),
    }
    (hinge,), (drive,) = verdict.scene.joints, verdict.scene.drives
    assert (hinge.parent, hinge.child, hinge.bearing_id) == ("base", "arm", "608zz")
    assert hinge.angle_range_deg == pytest.approx((-60, 90)), "the servo's 180°, around the targets 0 and 60°"
    assert (drive.label, drive.joint, drive.mode) == ("servo", "hinge", "position")
    servo = next(body for body in verdict.scene.bodies if body.label == "servo")
    assert servo.mass is not None
    assert servo.mass.mass_kg == pytest.approx(0.055)


def test_machine_without_glue_has_only_screwed_welds(designs: Designs) -> None:
    verdict = judged(designs, SOUND["hinged"].replace("        *bond_contacts(", "        # *bond_contacts("))
    assert verdict.scene is not None
    assert {(each.first, each.second) for each in verdict.scene.welds} == {("base", "servo")}
