"""Designs that cannot be built or simulated: rule, part, position and measured value."""

from math import nan
from typing import Any

import pytest
from build123d import Box, Pos
from cad_worker.job_protocol import DesignData, PartData
from cad_worker.jobs.design import scene_of
from cad_worker.utils_geometry.kernel_shapes import provide_utils
from contracts.models.mechanism import Connection, Constant, Joint, Motor
from contracts.models.scene import MassProperties
from kernel.api.mechanism_api import catalog_part
from sim_worker.rejection import SceneRejectedError

from tests.support.designs import MechanismItem
from tests.support.solids.large_breps import many_faces
from tests.support.solids.ramp_environment import RampEnvironment, ball, bonded, simulate


@pytest.fixture(scope="module")
def ramp() -> RampEnvironment:
    return RampEnvironment.of()


def findings_text(ramp: RampEnvironment, *parts: object, mechanism: tuple[MechanismItem, ...] = ()) -> str:
    """Return rule, part and detail of each finding."""
    found = scene_of(ramp.designs.request(*parts, mechanism=mechanism)).findings  # type: ignore[arg-type]
    return "\n".join(f"{finding.rule} {finding.label}: {finding.detail}" for finding in found)


def test_overlapping_parts_are_reported_with_volume_and_position(ramp: RampEnvironment) -> None:
    first, second = (
        ramp.part("one", Pos(0, 0, 10) * Box(20, 20, 20)),
        ramp.part("two", Pos(15, 0, 10) * Box(20, 20, 20)),
    )
    text = findings_text(ramp, first, second)
    assert "interference one: " in text
    assert "2000.0 mm³ around (7.5, 0.0, 10.0) mm" in text


def test_part_over_payload_is_reported_with_depth() -> None:
    ramp = RampEnvironment.of(payload=ball((0, 0, 30)))
    text = findings_text(ramp, ramp.part("wall_of_mine", Pos(15, 0, 25) * Box(6, 60, 50)))
    assert "interference wall_of_mine: " in text
    assert "by 8.00 mm" in text


def test_motor_of_missing_joint_is_reported(ramp: RampEnvironment) -> None:
    provide_utils()
    motor = Pos(0, 0, 70) * catalog_part("pololu-37d-50")
    motor.label = "motor"
    text = findings_text(ramp, motor, mechanism=(Motor(part="motor", joint="axle", control=Constant(share=1.0)),))
    assert "invalid_motor motor: " in text
    assert "around (0.0, 0.0, 35.0) mm drives joint 'axle'" in text


def test_second_joint_is_reported_with_position(ramp: RampEnvironment) -> None:
    base, arm = ramp.part("base", Pos(0, 0, 10) * Box(60, 60, 20)), ramp.part("arm", Pos(0, 0, 25) * Box(80, 20, 10))
    hinges = tuple(
        Joint(label=label, kind="revolute", parent="base", child="arm", anchor_mm=(x, 0, 20))
        for label, x in (("left", -20), ("right", 20))
    )
    text = findings_text(ramp, base, arm, mechanism=(bonded("base", "floor"), *hinges))
    assert "over_constrained right: joint right around (20.0, 0.0, 20.0) mm" in text


@pytest.mark.parametrize("field", ["mass_kg", "center_mm", "inertia_kg_m2"])
def test_nan_in_mass_properties_is_rejected(ramp: RampEnvironment, field: str) -> None:
    scene = ramp.scene(ramp.part("block", Pos(0, 0, 10) * Box(20, 20, 20)))
    (block,) = (body for body in scene.bodies if body.label == "block")
    assert block.mass is not None
    bad: dict[str, Any] = {"mass_kg": nan, "center_mm": (nan, 0.0, 0.0), "inertia_kg_m2": (nan,) * 6}
    mass = MassProperties.model_construct(_fields_set=None, **{**dict(block.mass), field: bad[field]})
    forged = block.model_copy(update={"mass": mass})
    bodies = tuple(forged if body.label == "block" else body for body in scene.bodies)
    with pytest.raises(SceneRejectedError, match="body block: its mass, centre or inertia is not a finite number"):
        simulate(scene.model_copy(update={"bodies": bodies}))


def test_part_of_a_million_triangles_is_reported(ramp: RampEnvironment) -> None:
    good = ramp.designs.request(ramp.part("scan", Box(10, 10, 10)))
    scan = PartData(
        label="scan", kind="Solid", brep=many_faces(1_000_000), manufacturing_method="cnc", material_id="pom"
    )
    (finding,) = scene_of(good.model_copy(update={"design": DesignData(parts=(scan,))})).findings
    assert (finding.rule, finding.label) == ("not_a_part", "scan")
    assert "1000000 faces at (0.0, 0.0, 0.0) mm" in finding.detail


def test_bond_to_missing_part_is_reported_with_suggestion(ramp: RampEnvironment) -> None:
    part = ramp.part("leg", Pos(0, 0, 10) * Box(20, 20, 20))
    bond = Connection(first="leg", second="flor", means="bonded")
    assert "'flor'; did you mean floor?" in findings_text(ramp, part, mechanism=(bond,))
