"""Environments with moving solids: their rules, their scene, and protection against changes."""

from cad_worker.job_protocol import EnvironmentBuild, EnvironmentCheck
from cad_worker.jobs.design import scene_of
from cad_worker.jobs.environment import build_environment
from contracts.models.benchmark import Variant
from contracts.models.mechanism import Connection, Joint

from tests.support.designs import Designs, MechanismItem, mechanism_of

DOOR = Joint(label="door_hinge", kind="revolute", parent="floor", child="door", anchor_mm=(-80, 0, 20))


def built(
    designs: Designs, *items: MechanismItem, door_z: float = 20.0, material: str | None = "pom"
) -> EnvironmentBuild:
    """Build a floor with a door and a post."""
    floor = designs.part("floor", (400, 400, 10), (0, 0, -5), method=None, material=None)
    door = designs.part("door", (4, 40, 40), (-80, 20, door_z), method=None, material=material)
    post = designs.part("post", (10, 10, 30), (150, 0, 15), method=None, material=None)
    vars(post)["metadata"] = {"mountable": False}
    design = designs.request(floor, door, post, mechanism=items).design
    return build_environment(EnvironmentCheck(design=design, variant=designs.variant))


def fault(build: EnvironmentBuild) -> str:
    assert build.fault is not None
    assert build.fault.reason == "faulty_mechanism"
    return build.fault.detail


def test_moving_solid_needs_material_joint_and_free_space(designs: Designs) -> None:
    assert built(designs, DOOR).files is not None
    assert "no joint" in fault(built(designs))
    assert "never move" in fault(built(designs, DOOR, material=None))
    assert "160.0 mm³" in fault(built(designs, DOOR, door_z=19.0))
    assert "cheese" in fault(built(designs, DOOR, material="cheese"))


def test_scene_contains_moving_environment(designs: Designs, variant: Variant) -> None:
    files = built(designs, DOOR).files
    assert files is not None
    assert files.geometry.mechanism == mechanism_of(DOOR)
    assert [solid.material_id for solid in files.geometry.solids] == [None, "pom", None]
    other = Designs(variant, files.geometry)
    scene = scene_of(other.request(other.part("leg", (10, 10, 50), (0, 0, 25)))).scene
    assert scene is not None
    moving = [body.label for body in scene.bodies if body.mass is not None]
    assert moving == ["door", "leg"]
    assert [joint.label for joint in scene.joints] == ["door_hinge"]
    assert ("door", "floor") in scene.touching


def test_mounting_on_unmountable_solid_is_invalid(designs: Designs, variant: Variant) -> None:
    files = built(designs, DOOR).files
    assert files is not None
    other = Designs(variant, files.geometry)
    shelf = other.part("shelf", (20, 10, 10), (135, 0, 20))
    glued = Connection(first="shelf", second="post", means="bonded")
    found = other.finding(shelf, mechanism=[glued])
    assert (found.rule, found.label) == ("invalid_connection", "shelf")
    assert " post;" in found.detail


def test_changed_environment_mechanism_is_reported(designs: Designs, variant: Variant) -> None:
    files = built(designs, DOOR).files
    assert files is not None
    still = files.geometry.model_copy(update={"mechanism": mechanism_of()})
    solids = tuple(solid.model_copy(update={"is_mountable": True}) for solid in files.geometry.solids)
    for forged in (still, files.geometry.model_copy(update={"solids": solids})):
        other = Designs(variant, forged)
        assert other.rules(other.part("leg", (10, 10, 50), (0, 0, 25))) == [("environment_changed", "")]
