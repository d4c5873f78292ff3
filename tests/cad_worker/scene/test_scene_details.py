"""What a scene says of motors, screws and bonds, what touches by design, and which shapes stay known."""

from collections.abc import Sequence

import pytest
from build123d import Cylinder, Part, Pos, Rot
from cad_worker.jobs.design import scene_of
from cad_worker.scene.collision_shape_cache import CollisionShapeCache
from cad_worker.scene.scene import touching_pairs
from cad_worker.scene.welds import welds_of
from catalog_shapes.bought_parts import bought_part
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Constant, Coupling, Joint, Mechanism, Motor
from contracts.models.scene import Scene, Weld
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentSolid, SolidBody
from geometry.collision.results import CollisionGeometry
from parts_catalog.adhesive import bond_mpa
from parts_catalog.bearings import BEARINGS
from parts_catalog.hardware import fastener
from parts_catalog.materials import MATERIALS
from parts_catalog.motors import MOTORS
from parts_catalog.strength import ENVIRONMENT_MPA, METAL_HOUSING_MPA, max_stress_mpa, thread_n

from tests.support.designs import Designs, MechanismItem
from tests.support.slides import bond

DOWN = (0.0, 0.0, -1.0)


def scene(designs: Designs, parts: Sequence[Part], mechanism: Sequence[MechanismItem]) -> Scene:
    build = scene_of(designs.request(*parts, mechanism=mechanism))
    assert build.findings == ()
    assert build.scene is not None
    return build.scene


def screws(first: str, second: str, *places: Vector, fastener_id: str = "iso4762-m4x16") -> Connection:
    return Connection(
        first=first, second=second, means="fastened", fastener_id=fastener_id, places_mm=places,
        directions=(DOWN,) * len(places),
    )  # fmt: skip


def test_drive_has_every_figure_of_its_data_sheet(designs: Designs) -> None:
    motor: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part("pololu-37d-50")
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": "pololu-37d-50"}
    parts = [designs.part("base", (60, 60, 20), (0, 0, 10)), designs.part("arm", (80, 20, 10), (0, 0, 25)), motor]
    hinge = Joint(label="hinge", kind="revolute", parent="base", child="arm", anchor_mm=(0, 0, 20))
    drive = Motor(part="motor", joint="hinge", control=Constant(share=0.5))
    found = scene(designs, parts, [bond("base", "floor"), bond("motor", "arm"), hinge, drive])
    (of_motor,), sheet, bearing = found.drives, MOTORS["pololu-37d-50"], BEARINGS["plain-revolute"]
    for name in (
        *("nominal_voltage_v", "stall_torque_n_m", "no_load_speed_rad_s", "stall_current_a", "no_load_current_a"),
        *("continuous_torque_n_m", "thermal_limit_s", "armature_kg_m2"),
    ):
        assert getattr(of_motor, name) == getattr(sheet, name), name
    assert (of_motor.pinion_radius_mm, of_motor.control) == (None, drive.control)
    (joint,) = found.joints
    for name in ("friction_torque_n_m", "friction_force_n", "friction_coefficient", "max_force_n"):
        assert getattr(joint, name) == getattr(bearing, name), name
    assert joint.angle_range_deg is None
    housing = MATERIALS["aluminum-6061"]
    of_label = {body.label: body for body in found.bodies}
    assert (of_label["motor"].friction, of_label["motor"].restitution) == (housing.friction, housing.restitution)
    assert (of_label["arm"].friction, of_label["arm"].restitution) == (
        MATERIALS["pla"].friction,
        MATERIALS["pla"].restitution,
    )
    assert [label for label, body in of_label.items() if body.origin == "design"] == ["base", "arm", "motor"]
    assert [label for label, body in of_label.items() if body.strength is not None] == ["base", "arm"]


def screwed(designs: Designs, *places: Vector) -> Weld:
    parts = [designs.part("base", (60, 60, 20), (0, 0, 10)), designs.part("lid", (60, 60, 4), (0, 0, 22))]
    return scene(designs, parts, [bond("base", "floor"), screws("lid", "base", *places)]).welds[1]


def test_screw_bears_what_its_thread_holds_and_turns_about_the_centre_of_all(designs: Designs) -> None:
    """12 mm in the plastic below; alone, a screw bears a moment by half its diameter."""
    screw = fastener("iso4762-m4x16")
    each_n = min(screw.tensile_n, screw.shear_n, thread_n(4.0, 12.0, max_stress_mpa(MATERIALS["pla"], "3d_printing")))
    single = screwed(designs, (5.0, 0.0, 24.0))
    assert (single.max_force_n, single.max_moment_n_m) == pytest.approx((each_n, each_n * 0.002))
    assert (single.anchor_mm, single.places_mm) == ((5.0, 0.0, 24.0), ((5.0, 0.0, 24.0),))
    places = ((-20.0, -10.0, 24.0), (20.0, -10.0, 24.0), (0.0, 20.0, 24.0))
    three = screwed(designs, *places)
    assert three.anchor_mm == pytest.approx((0.0, 0.0, 24.0))
    assert three.max_force_n == pytest.approx(3 * each_n)
    assert three.max_moment_n_m == pytest.approx(each_n * (2 * 500**0.5 + 20) / 1000)
    assert three.places_mm == places


def test_screw_that_is_held_worst_counts_for_all(designs: Designs) -> None:
    """One of two reaches 12 mm into the base, the other one 8 mm: its head lies 4 mm higher, on a step."""
    step = designs.part("lid", (60, 60, 4), (0, 0, 22)) + designs.part("step", (20, 60, 4), (20, 0, 26))
    parts = [designs.part("base", (60, 60, 20), (0, 0, 10)), designs.as_part("lid", step)]
    places = ((-20.0, 0.0, 24.0), (20.0, 0.0, 28.0))
    weld = scene(designs, parts, [bond("base", "floor"), screws("lid", "base", *places)]).welds[1]
    assert weld.max_force_n == pytest.approx(2 * thread_n(4.0, 8.0, max_stress_mpa(MATERIALS["pla"], "3d_printing")))


@pytest.mark.parametrize(
    ("material_id", "catalog_id", "stress_mpa"),
    [
        (None, None, ENVIRONMENT_MPA),
        ("pom", None, max_stress_mpa(MATERIALS["pom"], MATERIALS["pom"].methods[0])),
        (None, "pololu-37d-50", METAL_HOUSING_MPA),
    ],
)
def test_thread_holds_by_the_material_that_it_is_cut_into(
    designs: Designs, material_id: str | None, catalog_id: str | None, stress_mpa: float
) -> None:
    """Of a benchmark's own solid, with a material or without, and of a bought body; 3 mm of thread."""
    plate = designs.part("plate", (40, 40, 13), (0, 0, 26.5)).solids()[0]
    block = designs.part("block", (40, 40, 20), (0, 0, 10)).solids()[0]
    material = None if material_id is None else MATERIALS[material_id]
    bodies: dict[str, SolidBody] = {
        "plate": SolidBody("plate", plate),
        "block": EnvironmentSolid("block", block, material=material, catalog_id=catalog_id),
    }
    connection = screws("plate", "block", (0.0, 0.0, 33.0))
    (weld,) = welds_of(MultibodySystem(bodies, Mechanism(connections=(connection,))))
    screw = fastener("iso4762-m4x16")
    expected = min(screw.tensile_n, screw.shear_n, thread_n(4.0, 3.0, stress_mpa))
    assert weld.max_force_n == pytest.approx(expected, rel=1e-3)


def test_bond_is_as_strong_as_the_weaker_of_two_materials(designs: Designs) -> None:
    parts = [
        designs.part("base", (60, 60, 20), (0, 0, 10)),
        designs.part("lid", (30, 20, 4), (0, 0, 22), method="cnc", material="aluminum-6061"),
    ]
    glued = scene(designs, parts, [bond("base", "floor"), bond("lid", "base")]).welds[1]
    weaker = min(bond_mpa("pla"), bond_mpa("aluminum-6061"))
    assert glued.max_force_n == pytest.approx(600 * weaker, rel=1e-3)
    assert glued.face is not None
    b, h, t = 30.0, 20.0, 600.0 * (30**2 + 20**2) / 12
    assert sorted(glued.face.second_moments_mm4) == pytest.approx(sorted((b * h**3 / 12, h * b**3 / 12, t)), rel=1e-2)
    assert sorted(glued.face.reaches_mm) == pytest.approx(sorted((h / 2, b / 2, (15**2 + 10**2) ** 0.5)), rel=1e-2)
    assert glued.max_moment_n_m == pytest.approx(weaker * b * h**2 / 6 / 1000, rel=1e-2)
    assert glued.anchor_mm == pytest.approx((0, 0, 20), abs=0.05)


def test_label_of_a_weld_has_both_sides_and_its_number(designs: Designs) -> None:
    long = "a" * 27
    parts = [
        designs.part(f"{long}-base", (60, 60, 20), (0, 0, 10)),
        designs.part(f"{long}-lid", (30, 20, 4), (0, 0, 22)),
    ]
    found = scene(designs, parts, [bond(f"{long}-base", "floor"), bond(f"{long}-lid", f"{long}-base")])
    assert [weld.label for weld in found.welds] == [f"{long}-to-floor-1", f"{long}-to-{long}-2"]


def joint(label: str, parent: str, child: str, kind: str = "revolute") -> Joint:
    return Joint.model_validate(
        {"label": label, "kind": kind, "parent": parent, "child": child, "anchor_mm": (0, 0, 0)}
    )


def test_pairs_touch_by_joints_motors_and_meshing_parts_once_each() -> None:
    motor = {"part": "m", "joint": "slide", "control": Constant(share=1.0)}
    mechanism = Mechanism(
        joints=(joint("slide", "b", "a", "linear"), joint("turn", "b", "c")),
        motors=(Motor.model_validate(motor | {"pinion": "p", "rack": "b"}),),
        couplings=(Coupling(kind="rack", first="turn", second="slide", ratio=1.0),),
    )
    assert touching_pairs(mechanism) == (*(("a", "b"), ("b", "c"), ("b", "m"), ("a", "m"), ("b", "p"), ("a", "c")),)
    without = Mechanism(joints=mechanism.joints, motors=(Motor.model_validate(motor | {"pinion": "p"}),))
    assert ("b", "p") not in touching_pairs(without)


def test_least_recently_used_shape_is_dropped_first(designs: Designs) -> None:
    """Ten geoms fit; using a shape keeps it."""
    request = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    environment = request.environment
    known = next(iter(scene_of(request.model_copy(update={"known": {}})).computed.values()))

    def shapes(count: int) -> CollisionGeometry:
        return known.model_copy(update={"geoms": known.geoms[:1] * count})

    cache = CollisionShapeCache(max_geoms=10)
    cache.add({"one": shapes(5), "two": shapes(5)}, ["one", "two"])
    assert cache.has_any(["one"])
    assert cache.has_any(["two"])
    assert cache.has_any([])
    assert not cache.has_any(["three"])
    cache.add({"three": shapes(1)}, ["three"])
    assert [cache.has_any([each]) for each in ("one", "two", "three")] == [False, True, True]
    cache.add({"two": shapes(9)}, ["two"])
    assert cache.has_any(["two"]), "it is known already, and counts once"
    cache.add({"four": shapes(30)}, ["four"])
    assert [cache.has_any([each]) for each in ("two", "three", "four")] == [False, False, True], "one shape stays"
    assert cache.known_shapes(request.design, environment) == {}


def test_only_bodies_that_physics_approximates_have_a_surface_of_their_own(designs: Designs) -> None:
    """A box is its own collision shape; a ring is made of many pieces."""
    ring = designs.as_part("ring", Pos(0, 0, 5) * (Cylinder(30, 10) - Cylinder(20, 10)))
    found = scene(designs, [ring, designs.part("leg", (10, 10, 50), (60, 0, 25))], [])
    surfaces = {body.label: body.surface is not None for body in found.bodies}
    assert surfaces == {"floor": False, "wall": False, "ring": True, "leg": False}
