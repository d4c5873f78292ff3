"""Loose solids of an environment: what they need, and that nothing may depend on them."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import pytest
from cad_worker.job_protocol import EnvironmentBuild, EnvironmentCheck, EnvironmentFiles
from cad_worker.jobs.design import scene_of
from cad_worker.jobs.environment import build_environment, load_environment
from contracts.models.benchmark import Variant
from contracts.models.mechanism import Connection, Joint

from tests.support.designs import Designs, MechanismItem

HINGE = Joint(label="hinge", kind="revolute", parent="floor", child="block", anchor_mm=(100, 0, 20))


def built(designs: Designs, *items: MechanismItem, **metadata: object) -> EnvironmentBuild:
    """Build a floor with a block on it, which has this metadata."""
    floor = designs.part("floor", (400, 400, 10), (0, 0, -5), method=None, material=None)
    block = designs.part("block", (40, 40, 40), (100, 0, 20), method=None, material=None)
    vars(block)["metadata"] = metadata
    design = designs.request(floor, block, mechanism=items).design
    return build_environment(EnvironmentCheck(design=design, variant=designs.variant))


@pytest.fixture
def files(designs: Designs) -> EnvironmentFiles:
    """An environment with a loose block of POM."""
    files = built(designs, material_id="pom", loose=True).files
    assert files is not None
    return files


def fault(build: EnvironmentBuild) -> str:
    assert build.fault is not None
    assert build.fault.reason == "faulty_mechanism"
    return build.fault.detail


def test_loose_solid_needs_a_material_and_nothing_that_holds_it(designs: Designs) -> None:
    assert "it has no material" in fault(built(designs, loose=True))
    assert "something holds it" in fault(built(designs, HINGE, material_id="pom", loose=True))
    assert '"loose": True' in fault(built(designs, material_id="pom")), "the remedy is named"
    assert "only a loose solid can be" in fault(built(designs, HINGE, material_id="pom", moving=True))


def test_loose_solid_that_moves_from_the_start_is_marked_for_every_reader(designs: Designs) -> None:
    files = built(designs, material_id="pom", loose=True, moving=True).files
    assert files is not None
    assert [body.is_moving for body in files.scene.bodies] == [False, True]
    assert vars(load_environment(files.geometry).children[1])["metadata"]["moving"] is True
    still = files.geometry.solids[1].model_copy(update={"is_moving": False})
    forged = Designs(designs.variant, files.geometry.model_copy(update={"solids": (files.geometry.solids[0], still)}))
    assert forged.rules(forged.part("leg", (10, 10, 50), (0, 0, 25))) == [("environment_changed", "")]


def test_loose_solid_moves_freely_and_is_marked_for_every_reader(files: EnvironmentFiles) -> None:
    assert [(solid.is_loose, solid.is_mountable) for solid in files.geometry.solids] == [(False, True), (True, False)]
    assert [body.label for body in files.scene.bodies if body.mass is not None] == ["block"]
    block = load_environment(files.geometry).children[1]
    assert vars(block)["metadata"] == {"material_id": "pom", "mountable": False, "loose": True}


def test_part_cannot_be_glued_to_a_loose_solid_or_rest_on_it_alone(variant: Variant, files: EnvironmentFiles) -> None:
    designs = Designs(variant, files.geometry)
    lid = designs.part("lid", (30, 30, 10), (100, 0, 45))
    assert designs.finding(lid).rule == "floating"
    glued = Connection(first="lid", second="block", means="bonded")
    rules = [rule for rule, _ in designs.rules(lid, mechanism=[glued])]
    assert "invalid_connection" in rules


def test_loose_solid_is_part_of_the_digest(variant: Variant, files: EnvironmentFiles) -> None:
    solids = tuple(solid.model_copy(update={"is_loose": False}) for solid in files.geometry.solids)
    forged = Designs(variant, files.geometry.model_copy(update={"solids": solids}))
    assert forged.rules(forged.part("leg", (10, 10, 50), (0, 0, 25))) == [("environment_changed", "")]


def test_design_beside_a_loose_solid_has_a_scene_with_both(variant: Variant, files: EnvironmentFiles) -> None:
    designs = Designs(variant, files.geometry)
    scene = scene_of(designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))).scene
    assert scene is not None
    assert [body.label for body in scene.bodies if body.mass is not None] == ["block", "leg"]
