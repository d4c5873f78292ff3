"""What cannot be built or simulated is told as an agent reads it: which part, where, how much."""

from math import nan

import pytest
from build123d import Box, Pos
from cad_worker.job_protocol import DesignData, PartData
from cad_worker.jobs.scene import scene_of
from cad_worker.session_child.kernel_shapes import lend_words
from contracts.models.mechanism import Connection, Constant, Joint, Motor
from kernel.api.mechanism_api import catalog_part
from sim_worker.rejection import SceneRejectedError

from tests.physics.site import Site, ball, bonded, tried
from tests.support.designs import MechanismItem
from tests.support.large_breps import many_faces


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.of()


def told(site: Site, *parts: object, mechanism: tuple[MechanismItem, ...] = ()) -> str:
    """Return all that is found about a design, as one text."""
    found = scene_of(site.designs.request(*parts, mechanism=mechanism)).findings  # type: ignore[arg-type]
    return "\n".join(f"{finding.rule} {finding.label}: {finding.detail}" for finding in found)


def test_parts_that_intersect(site: Site) -> None:
    first, second = (
        site.part("one", Pos(0, 0, 10) * Box(20, 20, 20)),
        site.part("two", Pos(15, 0, 10) * Box(20, 20, 20)),
    )
    assert "interference one: one shares 2000.0 mm³ with two around (7.5, 0.0, 10.0) mm" in told(site, first, second)


def test_a_part_where_the_payload_is() -> None:
    site = Site.of(payload=ball((0, 0, 30)))
    text = told(site, site.part("wall_of_mine", Pos(15, 0, 25) * Box(6, 60, 50)))
    assert "wall_of_mine overlaps payload, the ball of 40.00 mm released at (0.0, 0.0, 30.0) mm, by 8.00 mm" in text


def test_a_motor_whose_joint_is_not_there(site: Site) -> None:
    lend_words()
    motor = Pos(0, 0, 70) * catalog_part("pololu-37d-50")
    motor.label = "motor"
    text = told(site, motor, mechanism=(Motor(part="motor", joint="axle", control=Constant(share=1.0)),))
    assert (
        "invalid_motor motor: motor motor around (0.0, 0.0, 35.0) mm drives joint 'axle', which does not exist" in text
    )


def test_a_joint_too_many(site: Site) -> None:
    base, arm = site.part("base", Pos(0, 0, 10) * Box(60, 60, 20)), site.part("arm", Pos(0, 0, 25) * Box(80, 20, 10))
    hinges = tuple(
        Joint(label=label, kind="revolute", parent="base", child="arm", anchor_mm=(x, 0, 20))
        for label, x in (("left", -20), ("right", 20))
    )
    text = told(site, base, arm, mechanism=(bonded("base", "floor"), *hinges))
    assert "over_constrained right: joint right around (20.0, 0.0, 20.0) mm" in text


@pytest.mark.parametrize("field", ["mass_kg", "center_mm", "inertia_kg_m2"])
def test_a_mass_that_is_no_number(site: Site, field: str) -> None:
    scene = site.scene(site.part("block", Pos(0, 0, 10) * Box(20, 20, 20)))
    (block,) = (body for body in scene.bodies if body.label == "block")
    assert block.mass is not None
    bad = {"mass_kg": nan, "center_mm": (nan, 0.0, 0.0), "inertia_kg_m2": (nan,) * 6}[field]
    forged = block.model_copy(update={"mass": block.mass.model_copy(update={field: bad})})
    bodies = tuple(forged if body.label == "block" else body for body in scene.bodies)
    with pytest.raises(SceneRejectedError, match="body block: its mass, centre or inertia is not a finite number"):
        tried(scene.model_copy(update={"bodies": bodies}))


def test_a_part_of_a_million_triangles(site: Site) -> None:
    good = site.designs.request(site.part("scan", Box(10, 10, 10)))
    scan = PartData(
        label="scan", kind="Solid", brep=many_faces(1_000_000), manufacturing_method="cnc", material_id="pom"
    )
    (finding,) = scene_of(good.model_copy(update={"design": DesignData(parts=(scan,))})).findings
    assert (finding.rule, finding.label) == ("not_a_part", "scan")
    assert "has 1000000 faces at (0.0, 0.0, 0.0) mm" in finding.detail


def test_glue_to_what_is_not_there(site: Site) -> None:
    part = site.part("leg", Pos(0, 0, 10) * Box(20, 20, 20))
    said = Connection(first="leg", second="flor", means="bonded")
    assert "there is no 'flor'; did you mean floor?" in told(site, part, mechanism=(said,))
