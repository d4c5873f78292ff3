"""What physics gets of connections, joints and motors: ratings from the tables, and which contacts are meant."""

from itertools import combinations

import pytest
from build123d import Part, Pos, Rot
from cad_worker.catalog_shapes.bought_parts import bought_part
from cad_worker.job_protocol import solid_source
from cad_worker.jobs.design import scene_of
from cad_worker.scene.shape_memory import ShapeMemory, sources_of
from cad_worker.validation.rigid_groups import GROUND, RigidGroups
from contracts.models.mechanism import Connection, Constant, Coupling, Joint, Motor
from contracts.models.scene import Scene
from parts_catalog.adhesive import ADHESIVE
from parts_catalog.bearings import BEARINGS
from parts_catalog.hardware import fastener
from parts_catalog.motors import MOTORS

from tests.cad_worker.design.shop import Said, Shop

SAID: tuple[Said, ...] = (
    Connection(first="base", second="floor", means="bonded"),
    Connection(first="motor", second="arm", means="bonded"),
    Connection(
        first="lid",
        second="base",
        means="fastened",
        fastener_id="iso4762-m4x12",
        places_mm=((40.0, 20.0, 24.0), (40.0, -20.0, 24.0)),
        directions=((0.0, 0.0, -1.0), (0.0, 0.0, -1.0)),
    ),
    Joint(label="hinge", kind="revolute", parent="base", child="arm", anchor_mm=(0, 0, 20), angle_range_deg=(-9, 9)),
    Joint(label="slider", kind="linear", parent="base", child="sled", anchor_mm=(-25.5, 0, 20), axis=(0, 1, 0)),
    Motor(part="motor", joint="hinge", control=Constant(share=0.5)),
    Coupling(kind="rack", first="hinge", second="slider", ratio=0.2),
)


@pytest.fixture
def scene(shop: Shop) -> Scene:
    motor: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part("pololu-37d-50")
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": "pololu-37d-50"}
    build = scene_of(
        shop.request(
            shop.part("base", (140, 60, 20), (0, 0, 10)),
            shop.part("arm", (40, 20, 10), (0, 0, 25)),
            shop.part("lid", (20, 60, 4), (40, 0, 22)),
            shop.part("sled", (10, 10, 10), (-25.5, 0, 25)),
            motor,
            mechanism=SAID,
        )
    )
    assert build.scene is not None, build.findings
    assert build.findings == ()
    return build.scene


def test_glue_holds_by_its_area_and_screws_by_their_number(scene: Scene) -> None:
    glued, _, screwed = scene.welds
    assert glued.label == "base-to-floor-1"
    assert glued.max_force_n == pytest.approx(140 * 60 * ADHESIVE.shear_mpa)
    assert glued.anchor_mm == pytest.approx((0, 0, 0), abs=1e-6)
    screw = fastener("iso4762-m4x12")
    weaker_n = min(screw.tensile_n, screw.shear_n)
    assert screwed.anchor_mm == (40, 0, 24)
    assert screwed.max_force_n == pytest.approx(2 * weaker_n)
    assert screwed.max_moment_n_m == pytest.approx(2 * weaker_n * 0.02)


def test_motors_and_bearings_come_from_the_table(scene: Scene) -> None:
    (drive,), sheet = scene.drives, MOTORS["pololu-37d-50"]
    assert (drive.label, drive.joint, drive.mode) == ("motor", "hinge", "voltage")
    assert drive.stall_torque_n_m == sheet.stall_torque_n_m
    assert drive.continuous_torque_n_m == sheet.continuous_torque_n_m
    assert scene.joints[0].max_force_n == BEARINGS["plain-revolute"].max_force_n
    assert scene.joints[0].angle_range_deg == (-9, 9)
    assert scene.joints[1].friction_force_n == BEARINGS["plain-linear"].friction_force_n


def test_what_is_made_weighs_by_its_material_and_what_is_bought_by_its_catalog(scene: Scene) -> None:
    mass = {body.label: body.mass for body in scene.bodies}
    assert mass["floor"] is None
    assert mass["arm"] is not None
    assert mass["arm"].mass_kg == pytest.approx(8e-6 * 1240)
    assert mass["motor"] is not None
    assert mass["motor"].mass_kg == pytest.approx(0.205)
    assert mass["motor"].center_mm == pytest.approx((0, 0, 65))


def test_only_meant_contacts_are_left_out(scene: Scene) -> None:
    meant = set(scene.touching)
    assert {("arm", "base"), ("base", "sled"), ("arm", "sled"), ("base", "motor")} <= meant
    assert not meant & {("lid", "sled"), ("arm", "lid"), ("floor", "sled"), ("lid", "motor")}


def test_labels_of_a_scene_are_unique(scene: Scene) -> None:
    names = [each.label for each in (*scene.bodies, *scene.joints, *scene.welds)]
    assert len(names) == len(set(names))


def test_groups_follow_connections_in_any_order() -> None:
    pairs = [Connection(first=one, second=other, means="bonded") for one, other in ("ab", "cd", "bc", "xf")]
    groups = RigidGroups({"f"}, pairs)
    assert all(groups.same(one, other) for one, other in combinations("abcd", 2))
    assert groups.of("x") == GROUND
    assert not groups.same("a", "x")


def test_what_was_computed_is_not_computed_again(shop: Shop) -> None:
    memory, request = ShapeMemory(), shop.request(shop.part("leg", (10, 10, 50), (0, 0, 25)))
    asked = sources_of(request.design, request.environment)
    first = scene_of(request.model_copy(update={"known": {}}))
    assert set(first.computed) == set(asked)
    memory.learn(first.computed, asked)
    again = scene_of(request.model_copy(update={"known": memory.about(request.design, request.environment)}))
    assert again.computed == {}
    assert again.scene == first.scene
    moved = shop.request(shop.part("leg", (10, 10, 51), (0, 0, 25.5)))
    changed = moved.model_copy(update={"known": memory.about(moved.design, moved.environment)})
    assert list(scene_of(changed).computed) == [solid_source(moved.design.parts[0].brep)]


def test_memory_is_bounded_and_believes_only_what_it_asked(shop: Shop) -> None:
    known = dict(shop.known)
    one, other = list(known)[:2]
    memory = ShapeMemory(max_geoms=1)
    memory.learn(known, {one})
    environment = shop.environment
    nothing = shop.request(shop.part("leg", (10, 10, 50), (0, 0, 25))).design
    assert set(memory.about(nothing, environment)) == {one}
    memory.learn(known, {other})
    assert set(memory.about(nothing, environment)) == {other}
