"""Compiled scenes: moving bodies, loads of welds, mass properties, and rejections."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from contracts.models.benchmark import Zone
from contracts.models.scene import Body, HullGeom, MassProperties, Scene, Surface
from sim_worker.model import World, compile_scene
from sim_worker.mujoco_api import mujoco
from sim_worker.rejection import SceneRejectedError

from tests.sim_worker import scenes
from tests.sim_worker.scene_runs import simulate_scene, simulate_world

G = 9.81
WALL = scenes.block("wall", (-5, 0, 0), (10, 200, 200), "environment")
CUBE_KG = 1.0


def cube(label: str, center_mm: tuple[float, float, float], **changes: object) -> Body:
    """Return a cube of 100 mm that weighs 1 kg."""
    return scenes.solid(label, center_mm, (100, 100, 100)).model_copy(update=changes)


def rejection_of(scene: Scene) -> str:
    with pytest.raises(SceneRejectedError) as caught:
        compile_scene(scene)
    assert caught.value.reason == "scene_invalid"
    return caught.value.detail


def test_block_glued_to_a_wall_loads_the_glue() -> None:
    glued = (WALL, cube("block", (50, 0, 0)))
    scene = scenes.machine_scene(*glued, welds=(scenes.weld("glue", "wall", "block", (0, 0, 0)),))
    readings = simulate_scene(scene, 0.05)
    assert readings.layout.moving == ()
    np.testing.assert_allclose(readings.weld_force_n, CUBE_KG * G, rtol=1e-6)
    np.testing.assert_allclose(readings.weld_moment_n_m, CUBE_KG * G * 0.05, rtol=1e-6)


def test_glue_bears_everything_further_out() -> None:
    row = (WALL, cube("near", (50, 0, 0)), cube("far", (150, 0, 0)))
    welds = (scenes.weld("outer", "far", "near", (100, 0, 0)), scenes.weld("inner", "wall", "near", (0, 0, 0)))
    readings = simulate_scene(scenes.machine_scene(*row, welds=welds), 0.05)
    np.testing.assert_allclose(readings.weld_force_n[-1], [G, 2 * G], rtol=1e-6)
    np.testing.assert_allclose(readings.weld_moment_n_m[-1], [0.05 * G, 0.05 * G + 0.15 * G], rtol=1e-6)


def test_glue_bears_load_in_standing_group_only() -> None:
    floor = scenes.block("floor", (0, 0, -5), (300, 300, 10), "environment")
    for height_mm, expected_n in ((0.0, G), (400.0, 0.0)):
        pile = (cube("lower", (0, 0, 50 + height_mm)), cube("upper", (0, 0, 150 + height_mm)))
        glue = scenes.weld("glue", "lower", "upper", (0, 0, 100 + height_mm))
        readings = simulate_scene(scenes.machine_scene(floor, *pile, welds=(glue,)), 0.25)
        assert readings.layout.moving == ("lower", "upper")
        assert readings.weld_force_n[-1, 0] == pytest.approx(expected_n, abs=0.02)


def test_two_welds_share_a_load_by_strength() -> None:
    strong, weak = (
        scenes.weld("strong", "wall", "block", (0, 0, 20)),
        scenes.weld("weak", "wall", "block", (0, 0, 0), 5),
    )
    readings = simulate_scene(scenes.machine_scene(WALL, cube("block", (50, 0, 0)), welds=(weak, strong)), 0.02)
    assert [weld.label for weld in readings.layout.judged_welds] == ["weak", "strong"]
    # Both are as far from the block: they give way by the same.
    np.testing.assert_allclose(readings.weld_force_n[-1], [5 / 1005 * G, 1000 / 1005 * G], rtol=1e-4)


def test_free_part_falls() -> None:
    readings = simulate_scene(scenes.machine_scene(cube("block", (0, 0, 300))), 0.3)
    assert readings.layout.moving == ("block",)
    expected_m = 0.3 - G * readings.time_s**2 / 2
    np.testing.assert_allclose(readings.moving_position_m[:, 0, 2], expected_m, atol=0.002)
    np.testing.assert_allclose(readings.moving_quaternion[:, 0], np.tile([1.0, 0, 0, 0], (300, 1)), atol=1e-12)


def test_moving_design_part_has_forbid_zone_sensor() -> None:
    zones = (Zone(label="fire", box=scenes.box((-40, -40, 40), (40, 40, 90))),)
    parts = (
        cube("part", (0, 0, 300)),
        cube("fixed", (0, 0, -200), mass=None),
        cube("rock", (0, 300, 300), origin="environment"),
    )
    readings = simulate_scene(scenes.machine_scene(*parts, forbid_zones=zones), 0.3)
    assert readings.layout.part_forbid_pairs == (("part", "fire"),)
    touching = readings.part_forbids_m[:, 0] <= 0
    under_m = readings.moving_position_m[:, 0, 2] - 0.05 - 0.09
    assert readings.time_s[np.argmax(touching)] == pytest.approx(readings.time_s[np.argmax(under_m <= 0)], abs=0.0015)
    assert readings.part_forbids_m.min() < -0.0005


def test_energy_is_conserved_in_free_fall() -> None:
    readings = simulate_scene(scenes.machine_scene(cube("block", (0, 0, 900))), 0.4)
    kinetic_j = CUBE_KG * (G * readings.time_s[-1]) ** 2 / 2
    assert np.ptp(readings.energy_j) < 0.01 * kinetic_j


def test_mass_properties_come_from_scene_not_geometry() -> None:
    mass = MassProperties(mass_kg=2.5, center_mm=(3, -4, 110), inertia_kg_m2=(0.03, 0.02, 0.025, 0.002, -0.003, 0.001))
    world = compile_scene(scenes.machine_scene(cube("odd", (0, 0, 100), mass=mass)))
    body = world.model.body("design:odd")
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, body.iquat)
    axes = turned.reshape(3, 3)
    tensor = axes @ np.diag(body.inertia) @ axes.T
    xx, yy, zz, xy, xz, yz = mass.inertia_kg_m2
    np.testing.assert_allclose(tensor, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], rtol=1e-6, atol=3e-8)
    assert float(body.mass[0]) == pytest.approx(2.5, rel=1e-6)
    np.testing.assert_allclose(body.pos + body.ipos, [0.003, -0.004, 0.110], atol=1e-9)


@pytest.mark.parametrize(
    ("inertia", "problem"),
    [
        ((0.01, float("nan"), 0.01, 0.0, 0.0, 0.0), "must be finite|not a finite"),
        ((0.01, 0.01, -0.01, 0.0, 0.0, 0.0), "smallest principal moment"),
        ((0.01, 0.01, 0.03, 0.0, 0.0, 0.0), "exceeds the sum of the other two"),
    ],
)
def test_impossible_mass_is_rejected(inertia: tuple[float, ...], problem: str) -> None:
    mass = MassProperties.model_construct(mass_kg=1.0, center_mm=(0, 0, 0), inertia_kg_m2=inertia)
    with pytest.raises(SceneRejectedError, match=f"body block: .*({problem})"):
        compile_scene(scenes.machine_scene(cube("block", (0, 0, 100), mass=mass)))


def test_joint_loop_is_rejected_with_joint_names() -> None:
    bars = (WALL, cube("a", (50, 0, 0)), cube("b", (200, 0, 0)))
    joints = (
        scenes.joint("first", "revolute", "wall", "a", (0, 0, 0)),
        scenes.joint("second", "revolute", "a", "b", (100, 0, 0)),
        scenes.joint("third", "revolute", "wall", "b", (0, 0, 50)),
    )
    assert "first, second, third make a closed loop" in rejection_of(scenes.machine_scene(*bars, joints=joints))


def test_joint_between_welded_parts_is_rejected() -> None:
    hinge = scenes.joint("hinge", "revolute", "wall", "block", (0, 0, 0))
    scene = scenes.machine_scene(
        WALL, cube("block", (50, 0, 0)), joints=(hinge,), welds=(scenes.weld("glue", "wall", "block", (0, 0, 0)),)
    )
    assert "joint hinge cannot move: wall and block are rigidly joined" in rejection_of(scene)


def test_unknown_label_is_rejected() -> None:
    scene = scenes.machine_scene(WALL, welds=(scenes.weld("glue", "wall", "ghost", (0, 0, 0)),))
    assert "weld glue names 'ghost'" in rejection_of(scene)
    assert "motor m names 'hinge'" in rejection_of(scenes.machine_scene(WALL, drives=(scenes.drive("m", "hinge"),)))


def wedge(label: str, height_mm: float) -> Body:
    """Return a hull that weighs 1 kg, with a display surface."""
    points = tuple((x, y, z) for x, y, z in ((0, 0, 0), (80, 0, 0), (0, 80, 0), (80, 80, 0), (0, 0, 60), (0, 80, 60)))
    points = tuple((x, y, z + height_mm) for x, y, z in points)
    triangles = np.array(
        [[0, 2, 1], [2, 3, 1], [0, 1, 4], [2, 5, 3], [1, 3, 5], [1, 5, 4], [0, 4, 5], [0, 5, 2]], "<i4"
    )
    surface = Surface(vertices_mm=np.array(points, "<f4").tobytes(), triangles=triangles.tobytes())
    mass = MassProperties(mass_kg=1.0, center_mm=(26, 40, 20 + height_mm), inertia_kg_m2=(1e-3, 1e-3, 1e-3, 0, 0, 0))
    return cube(label, (0, 0, 0), mass=mass, geoms=(HullGeom(vertices_mm=points),), surface=surface)


@pytest.fixture(scope="module")
def wedge_world() -> World:
    floor = scenes.block("floor", (0, 0, -5), (300, 300, 10), "environment")
    return compile_scene(scenes.machine_scene(floor, wedge("wedge", 5.0)))


def test_hull_comes_to_rest_on_the_floor(wedge_world: World) -> None:
    readings = simulate_world(wedge_world, 0.8)
    assert readings.moving_position_m[-1, 0, 2] == pytest.approx(0.020, abs=0.0001)
    np.testing.assert_allclose(readings.moving_quaternion[-1, 0], [1, 0, 0, 0], atol=0.002)


def test_bundle_runs_identically_in_plain_mujoco(wedge_world: World, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(wedge_world.bundle())) as archive:
        assert {"scene.xml", "meshes/design-wedge-0.msh", "meshes/design-wedge-surface.msh"} == set(archive.namelist())
        archive.extractall(tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "scene.xml"))
    data = mujoco.MjData(model)
    for _ in range(300):
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(data.sensordata, simulate_world(wedge_world, 0.3).rows[-1])
    assert wedge_world.bundle() == wedge_world.bundle()


def test_surface_has_no_contact_and_no_mass(wedge_world: World) -> None:
    model = wedge_world.model
    pictures = [geom for geom in range(model.ngeom) if model.geom_contype[geom] == model.geom_conaffinity[geom] == 0]
    bodies = {model.body(model.geom_bodyid[geom]).name for geom in pictures}
    assert bodies == {"world", "picture:wedge"}
    assert model.body("design:wedge").mass[0] == pytest.approx(1.0)
    assert model.body("picture:wedge").mass[0] == 0.0
