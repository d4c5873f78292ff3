"""What moves in a benchmark's world by itself is checked before anybody works in it, and cannot be changed later."""

from cad_worker.job_protocol import EnvironmentBuild, EnvironmentCheck
from cad_worker.jobs.design import scene_of
from cad_worker.jobs.environment import build_environment
from contracts.models.benchmark import Variant
from contracts.models.mechanism import Connection, Joint

from tests.cad_worker.design.shop import Said, Shop, mechanism_of

DOOR = Joint(label="door_hinge", kind="revolute", parent="floor", child="door", anchor_mm=(-80, 0, 20))


def built(shop: Shop, *said: Said, door_z: float = 20.0, material: str | None = "pom") -> EnvironmentBuild:
    """A floor with a door on it."""
    floor = shop.part("floor", (400, 400, 10), (0, 0, -5), method=None, material=None)
    door = shop.part("door", (4, 40, 40), (-80, 20, door_z), method=None, material=material)
    post = shop.part("post", (10, 10, 30), (150, 0, 15), method=None, material=None)
    vars(post)["metadata"] = {"mountable": False}
    design = shop.request(floor, door, post, mechanism=said).design
    return build_environment(EnvironmentCheck(design=design, variant=shop.variant))


def fault(build: EnvironmentBuild) -> str:
    assert build.fault is not None
    assert build.fault.reason == "faulty_mechanism"
    return build.fault.detail


def test_a_moving_part_needs_material_joint_and_room(shop: Shop) -> None:
    assert built(shop, DOOR).files is not None
    assert "no joint holds it" in fault(built(shop))
    assert "never move" in fault(built(shop, DOOR, material=None))
    assert "shares" in fault(built(shop, DOOR, door_z=19.0))
    assert "which is not known" in fault(built(shop, DOOR, material="cheese"))


def test_the_scene_holds_what_moves_in_the_world(shop: Shop, variant: Variant) -> None:
    files = built(shop, DOOR).files
    assert files is not None
    assert files.geometry.mechanism == mechanism_of(DOOR)
    assert [solid.material_id for solid in files.geometry.solids] == [None, "pom", None]
    inside = Shop(variant, files.geometry)
    scene = scene_of(inside.request(inside.part("leg", (10, 10, 50), (0, 0, 25)))).scene
    assert scene is not None
    moving = [body.label for body in scene.bodies if body.mass is not None]
    assert moving == ["door", "leg"]
    assert [joint.label for joint in scene.joints] == ["door_hinge"]
    assert ("door", "floor") in scene.touching


def test_nothing_is_mounted_where_the_benchmark_forbids_it(shop: Shop, variant: Variant) -> None:
    files = built(shop, DOOR).files
    assert files is not None
    inside = Shop(variant, files.geometry)
    shelf = inside.part("shelf", (20, 10, 10), (135, 0, 20))
    glued = Connection(first="shelf", second="post", means="bonded")
    found = inside.finding(shelf, mechanism=[glued])
    assert (found.rule, found.label) == ("invalid_connection", "shelf")
    assert "nothing may be mounted on post" in found.detail


def test_a_world_whose_motion_was_changed_is_not_the_benchmarks(shop: Shop, variant: Variant) -> None:
    files = built(shop, DOOR).files
    assert files is not None
    still = files.geometry.model_copy(update={"mechanism": mechanism_of()})
    solids = tuple(solid.model_copy(update={"is_mountable": True}) for solid in files.geometry.solids)
    for forged in (still, files.geometry.model_copy(update={"solids": solids})):
        inside = Shop(variant, forged)
        assert inside.rules(inside.part("leg", (10, 10, 50), (0, 0, 25))) == [("environment_changed", "")]
