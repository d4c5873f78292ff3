"""Words, capture, rules and scene agree: a script that linters and kernels accept is a machine for physics."""

import pytest
from build123d import Compound
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import DesignRequest, Judgement
from cad_worker.jobs.design import judge
from cad_worker.jobs.environment import load_environment
from cad_worker.kernel_process.kernel_shapes import provide_utils
from contracts.models.benchmark import Assignment, Limits

from tests.cad_worker.design.shop import Shop
from tests.cad_worker.linting.sound import SOUND


def judged(shop: Shop, script: str) -> Judgement:
    provide_utils()
    environment = load_environment(shop.environment)
    namespace: dict[str, object] = {"environment": environment}
    exec(script, namespace)
    assert isinstance(namespace["assembly"], Compound)
    return judge(
        DesignRequest(
            design=capture_design(namespace["assembly"], environment),
            environment=shop.environment,
            assignment=Assignment(variant=shop.variant, limits=Limits(), quantity=100),
        )
    )


def test_a_driven_hinge_becomes_welds_a_joint_and_a_drive(shop: Shop) -> None:
    verdict = judged(shop, SOUND["hinged"])
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
    assert hinge.angle_range_deg == pytest.approx((-90, 90))
    assert (drive.label, drive.joint, drive.mode) == ("servo", "hinge", "position")
    servo = next(body for body in verdict.scene.bodies if body.label == "servo")
    assert servo.mass is not None
    assert servo.mass.mass_kg == pytest.approx(0.055), "what is bought weighs what the table says"


def test_without_its_glue_the_same_machine_stands_on_nothing(shop: Shop) -> None:
    verdict = judged(shop, SOUND["hinged"].replace("        *bond_contacts(", "        # *bond_contacts("))
    assert verdict.scene is not None
    assert {(each.first, each.second) for each in verdict.scene.welds} == {("base", "servo")}
