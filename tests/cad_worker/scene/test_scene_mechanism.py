"""Connections, joints, motors and masses of a scene, and the cache of collision geometry."""

from itertools import combinations
from math import pi

import pytest
from build123d import Cylinder, Part, Pos, Rot
from cad_worker.jobs.design import scene_of
from cad_worker.scene.collision_shape_cache import (
    CollisionShapeCache,
    sources_of_design,
    sources_of_environment,
)
from catalog_shapes.bought_parts import bought_part
from contracts.models.mechanism import Connection, Constant, Coupling, Joint, Motor
from contracts.models.scene import Scene
from design_rules.bodies.multibody import FIXED_GROUP, RigidGroups
from design_rules.design_data import solid_source
from parts_catalog.pricing.print_prices import filled_mm3

from tests.support.designs import Designs, MechanismItem

GLUE_OF_LEG = (("leg", "floor"), ("leg", "floor"), ("floor", "leg"))
MECHANISM: tuple[MechanismItem, ...] = (
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
    Joint(
        label="slider",
        kind="linear",
        parent="base",
        child="sled",
        anchor_mm=(-25.5, 0, 20),
        axis=(0, 1, 0),
        travel_range_mm=(-5, 5),
    ),
    Motor(part="motor", joint="hinge", control=Constant(share=0.5)),
    Coupling(kind="rack", first="hinge", second="slider", ratio=-0.353),
)


@pytest.fixture
def scene(designs: Designs) -> Scene:
    motor: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part("pololu-37d-50")
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": "pololu-37d-50"}
    build = scene_of(
        designs.request(
            designs.part("base", (140, 60, 20), (0, 0, 10)),
            designs.as_part("arm", Pos(0, 0, 25) * Cylinder(20, 10)),
            designs.part("lid", (20, 60, 4), (40, 0, 22)),
            designs.part("sled", (10, 20, 10), (-25.5, 0, 25)),
            motor,
            mechanism=MECHANISM,
        )
    )
    assert build.scene is not None, build.findings
    assert build.findings == ()
    return build.scene


def test_masses_are_by_material_or_by_catalog(scene: Scene) -> None:
    mass = {body.label: body.mass for body in scene.bodies}
    assert mass["floor"] is None
    assert mass["arm"] is not None
    assert mass["arm"].mass_kg == pytest.approx(filled_mm3(pi * 4000, 2 * pi * (400 + 200), 1.4, 0.2) * 1.24e-6)
    assert mass["motor"] is not None
    assert mass["motor"].mass_kg == pytest.approx(0.205)
    assert mass["motor"].center_mm == pytest.approx((-7, 0, 65), abs=1e-6), "its shaft is beside the middle"


def test_surfaces_of_prints_keep_half_of_what_their_shortest_side_keeps(scene: Scene) -> None:
    """By hand: filament keeps 0.2 mm of a size up to 40 mm; what is bought, or the site's, is exact."""
    own = ("base", "arm", "lid", "sled")
    kept = {body.label: body.surface_tolerance_mm for body in scene.bodies}
    assert {label: kept[label] for label in own} == pytest.approx(dict.fromkeys(own, 0.1))
    assert not any(mm for label, mm in kept.items() if label not in own)


def test_scene_labels_are_unique(scene: Scene) -> None:
    names = [each.label for each in (*scene.bodies, *scene.joints, *scene.welds)]
    assert len(names) == len(set(names))


def test_glue_declared_again_is_the_same_weld(designs: Designs) -> None:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25))
    declared = [Connection(first=first, second=second, means="bonded") for first, second in GLUE_OF_LEG]
    scenes = [scene_of(designs.request(leg, mechanism=each)).scene for each in (declared[:1], declared)]
    once, again = (each.welds for each in scenes if each is not None)
    assert again == once
    assert len(once) == 1


def test_rigid_groups_do_not_depend_on_order() -> None:
    pairs = [Connection(first=one, second=other, means="bonded") for one, other in ("ab", "cd", "bc", "xf")]
    groups = RigidGroups({"f"}, pairs)
    assert all(groups.are_rigid(one, other) for one, other in combinations("abcd", 2))
    assert groups.group_of("x") == FIXED_GROUP
    assert not groups.are_rigid("a", "x")


def test_known_collision_geometry_is_not_computed_again(designs: Designs) -> None:
    cache, request = CollisionShapeCache(), designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    requested = sources_of_design(request.design) + sources_of_environment(request.environment)
    first = scene_of(request.model_copy(update={"known": {}}))
    assert set(first.computed) == set(requested)
    cache.add(first.computed, requested)
    again = scene_of(request.model_copy(update={"known": cache.known_shapes(request.design, request.environment)}))
    assert again.computed == {}
    assert again.scene == first.scene
    moved = designs.request(designs.part("leg", (10, 10, 51), (0, 0, 25.5)))
    changed = moved.model_copy(update={"known": cache.known_shapes(moved.design, moved.environment)})
    assert list(scene_of(changed).computed) == [solid_source(moved.design.parts[0].brep)]


def test_shape_cache_is_bounded_and_accepts_only_requested_sources(designs: Designs) -> None:
    known = dict(designs.known)
    one, other = list(known)[:2]
    cache = CollisionShapeCache(max_geoms=1)
    cache.add(known, {one})
    environment = designs.environment
    nothing = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25))).design
    assert set(cache.known_shapes(nothing, environment)) == {one}
    cache.add(known, {other})
    assert set(cache.known_shapes(nothing, environment)) == {other}
