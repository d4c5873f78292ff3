"""URDF and SDF of machines whose links and joints are known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from build123d import Box, Pos
from build_package.package import build_package
from build_package.robot.groups import PartGroup, part_groups
from build_package.robot.links import robot_of
from contracts.models.mechanism import Coupling
from contracts.models.scene import BoxGeom, Scene

from tests.build_package.machines import Made, machine_of
from tests.build_package.robots import moved_to, opened_sdf, opened_urdf, urdf_drive, urdf_masses, urdf_movers
from tests.sim_worker.scenes import drive, joint, machine_scene, solid, weld


def robot_files(scene: Scene) -> dict[str, bytes]:
    """Return the package of a machine of boxes that are simulated as a scene."""
    geoms = [(body.label, geom) for body in scene.bodies if body.origin == "design" for geom in body.geoms]
    parts = [Made(label, Pos(*g.center_mm) * Box(*g.size_mm)) for label, g in geoms if isinstance(g, BoxGeom)]
    return build_package(replace(machine_of(parts), scene=scene))


@pytest.fixture(scope="module")
def arm_files() -> dict[str, bytes]:
    return robot_files(arm_scene())


def arm_scene() -> Scene:
    """Return a base on the ground, on which a gear pair turns: one wheel carries an arm, another part slides on it."""
    return machine_scene(
        solid("base", (0, 0, 10), (100, 100, 20)),
        solid("wheel", (0, 0, 30), (40, 40, 10)),
        solid("arm", (60, 0, 40), (160, 10, 10)),
        solid("slider", (120, 0, 50), (10, 10, 10)),
        solid("other", (30, 0, 30), (20, 20, 10)),
        solid("loose", (0, 300, 30), (20, 20, 20)),
        welds=(weld("foot", "base", "far_shelf", (0, 0, 0)), weld("glue", "arm", "wheel", (0, 0, 35))),
        joints=(
            joint("hub", "revolute", "base", "wheel", (0, 0, 20), axis=(0, 0, 1), angle_range_deg=(-90.0, 180.0)),
            # declared from the slider's side: its child is the part that comes first in the tree
            joint("guide", "linear", "slider", "arm", (120, 0, 45), axis=(1, 0, 0), travel_range_mm=(-30.0, 0.0)),
            joint("other", "revolute", "base", "other", (30, 0, 20), axis=(0, 0, 1)),
        ),
        couplings=(Coupling(kind="gear", first="hub", second="other", ratio=-2.0),),
        drives=(drive("motor", "hub"),),
    )


def test_urdf_links_have_the_masses_and_places_of_the_scene(arm_files: dict[str, bytes], tmp_path: Path) -> None:
    scene = arm_scene()
    robot = opened_urdf(arm_files, tmp_path)
    expected = {body.label: body.mass.mass_kg for body in scene.bodies if body.mass is not None}
    assert urdf_masses(robot) == pytest.approx(expected)
    bounds = np.array(robot.scene.bounds)
    assert bounds == pytest.approx(np.array([[-0.05, -0.05, 0.0], [0.14, 0.31, 0.055]]), abs=1e-6)
    assert np.array(robot.collision_scene.bounds) == pytest.approx(bounds, abs=1e-6)


def test_urdf_joints_move_their_parts_as_the_scene_declares(arm_files: dict[str, bytes], tmp_path: Path) -> None:
    robot = opened_urdf(arm_files, tmp_path)
    movers = urdf_movers(robot)
    assert {name: each.kind for name, each in movers.items()} == {
        "hub": "revolute",
        "guide": "prismatic",
        "other-joint": "continuous",
    }
    assert movers["hub"].limits == pytest.approx((-np.pi / 2, np.pi))
    assert movers["guide"].limits == pytest.approx((-0.03, 0))
    assert movers["guide"].axis == pytest.approx((-1, 0, 0)), "its declared child moves the other way round"
    turned = moved_to(robot, "slider", hub=np.pi / 2, guide=-0.03)
    assert turned[:3, 3] == pytest.approx((0, 0.15, 0.045), abs=1e-9)
    follower = moved_to(robot, "other", hub=np.pi / 4)
    assert follower[:3, :3] == pytest.approx(np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]), abs=1e-6)


def test_groups_are_what_moves_as_one_within_what_carries_it() -> None:
    labels = {"base", "wheel", "arm", "slider", "other", "loose"}
    guide = PartGroup("guide", ("slider",), ())
    hub, other = PartGroup("hub", ("wheel", "arm"), (guide,)), PartGroup("other-joint", ("other",), ())
    frame = PartGroup("frame", ("base",), (hub, other))
    assert part_groups(robot_of(arm_scene()), labels) == (frame, PartGroup("loose-free", ("loose",), ()))
    assert part_groups(robot_of(arm_scene()), {"slider"}) == (
        PartGroup("frame", (), (PartGroup("hub", (), (guide,)),)),
    ), "a part on what is not the machine's"


def test_urdf_motor_gives_its_joint_torque_and_speed(arm_files: dict[str, bytes], tmp_path: Path) -> None:
    assert urdf_drive(opened_urdf(arm_files, tmp_path), "hub") == (2.0, 10.0)


def test_sdf_says_the_same_as_the_urdf(arm_files: dict[str, bytes], tmp_path: Path) -> None:
    model, robot = opened_sdf(arm_files), opened_urdf(arm_files, tmp_path)
    assert model.masses == pytest.approx(urdf_masses(robot))
    assert model.centers_m["arm"] == pytest.approx((0.06, 0, 0.04))
    movers = urdf_movers(robot)
    assert set(model.movers) == set(movers)
    for name, each in model.movers.items():
        assert each.axis == pytest.approx(movers[name].axis)
        assert each.place_m == pytest.approx(movers[name].place_m)
        assert (each.limits is None) is (movers[name].limits is None)


def test_ball_and_cylindrical_joints_have_all_their_freedoms(tmp_path: Path) -> None:
    scene = machine_scene(
        solid("base", (0, 0, 10), (100, 100, 20)),
        solid("stick", (0, 0, 70), (10, 10, 100)),
        solid("sleeve", (40, 0, 40), (10, 10, 20)),
        welds=(weld("foot", "base", "far_shelf", (0, 0, 0)),),
        joints=(
            joint("ball", "ball", "base", "stick", (0, 0, 20)),
            joint("both", "cylindrical", "base", "sleeve", (40, 0, 20), axis=(0, 0, 1), travel_range_mm=(0.0, 20.0)),
        ),
    )
    files = robot_files(scene)
    robot = opened_urdf(files, tmp_path)
    assert {name: each.kind for name, each in urdf_movers(robot).items()} == {
        **{f"ball-turn-{axis}": "continuous" for axis in "xyz"},
        "both-travel": "prismatic",
        "both": "continuous",
    }
    leaned = moved_to(robot, "stick", **{"ball-turn-y": np.pi / 2})
    assert leaned[:3, 2] == pytest.approx((1, 0, 0), abs=1e-9)
    raised = moved_to(robot, "sleeve", **{"both-travel": 0.02, "both": np.pi})
    assert raised[:3, 3] == pytest.approx((0.04, 0, 0.04))
    assert sum(opened_sdf(files).masses.values()) == pytest.approx(sum(urdf_masses(robot).values()), abs=1e-5)
