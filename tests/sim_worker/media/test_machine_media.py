"""Media of machines: each shape is drawn, at its simulated pose."""

import numpy as np
import pytest
from contracts.models.scene import Body, CylinderGeom, HullGeom, Scene, SphereGeom, Surface
from sim_worker import display_meshes
from sim_worker.media.animated_glb import animated_glb
from sim_worker.media.canvas import Picture
from sim_worker.media.film import SceneRenderer, VideoFormat
from sim_worker.media.images import png
from sim_worker.media.moments import Moment
from sim_worker.media.motion import Motion
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

from tests.sim_worker import machines, scenes
from tests.sim_worker.media.glb_validator import Glb, errors
from tests.sim_worker.media.test_media import decoded

SMALL = VideoFormat(width=160, height=120, pictures_per_s=10)
SHAPES = ("cylinder", "sphere", "hull", "surface")


@pytest.fixture(scope="module")
def swept() -> SimulationRecord:
    """Return a simulation of an arm that sweeps a cube over a table."""
    return Simulator(threads=1).simulate(machines.sweeper(), SimulationSettings(replicas=1, seed=0))


def shaped(kind: str) -> Body:
    """Return a bright green body round (0, 0, 100), 80 mm large, of one kind of shape."""
    ball = display_meshes.ball()
    upright = (1.0, 0.0, 0.0, 0.0)
    center = (0.0, 0.0, 100.0)
    surface = Surface(
        vertices_mm=(ball.vertices * 80 + center).astype("<f4").tobytes(),
        triangles=ball.triangles.astype("<i4").tobytes(),
    )
    geoms = {
        "cylinder": CylinderGeom(center_mm=center, quaternion=upright, radius_mm=40, length_mm=80),
        "sphere": SphereGeom(center_mm=center, radius_mm=40),
        "hull": HullGeom(vertices_mm=((-40, -40, 60), (40, -40, 60), (0, 40, 60), (0, 0, 140))),
        "surface": SphereGeom(center_mm=(0, 0, 500), radius_mm=1),
    }
    return Body(
        label=kind,
        origin="design",
        geoms=(geoms[kind],),
        friction=0.3,
        surface=surface if kind == "surface" else None,
        color_rgba=(0.0, 0.9, 0.0, 1.0),
    )


def still(kind: str) -> tuple[Scene, Motion]:
    """Return a scene with that body and a payload that stays where it is."""
    scene = scenes.empty_scene(
        scenes.ball((100, 0, 100)),
        bodies=(shaped(kind),),
        goal_zone=scenes.box((120, -40, 0), (160, 40, 40)),
        build_zone=scenes.box((-100, -100, 0), (200, 100, 200)),
    )
    simulation = Simulator(threads=1).simulate(scene.model_copy(update={"duration_s": 0.1}), SimulationSettings(1, 0))
    return scene, Motion.of(simulation.trajectory)


def greens(picture: Picture) -> int:
    """Count the pixels of the body; the goal is of a paler green."""
    values = picture.astype(int)
    return int(np.count_nonzero(values[..., 1] > 2 * np.maximum(values[..., 0], values[..., 2]) + 20))


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", SHAPES)
def test_each_shape_is_drawn(kind: str) -> None:
    scene, motion = still(kind)
    stills = SceneRenderer(scene, motion, SMALL).stills((Moment(0.0, ()),))
    (picture,) = decoded(stills.key_frames[0].png)
    assert greens(picture.astype(np.uint8)) > 300


@pytest.mark.parametrize(("kind", "volume_cm3"), [("cylinder", 402.1), ("sphere", 268.1), ("hull", 85.3)])
def test_body_mesh_has_volume_and_outward_normals(kind: str, volume_cm3: float) -> None:
    mesh = display_meshes.body_mesh(shaped(kind))
    first, second, third = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
    volume_m3 = np.einsum("tx,tx->", first, np.cross(second, third)) / 6
    assert volume_m3 * 1e6 == pytest.approx(volume_cm3, rel=0.03)
    outwards = np.einsum("tx,tcx->tc", np.cross(second - first, third - first), mesh.normals[mesh.triangles])
    assert (outwards > 0).all(), "light falls on the outside"


@pytest.mark.parametrize("kind", SHAPES)
def test_glb_of_each_shape_is_valid(kind: str) -> None:
    scene, motion = still(kind)
    glb = Glb.read(animated_glb(scene, motion))
    assert errors(glb) == []
    mesh = glb.document["meshes"][glb.node(kind)["mesh"]]
    places = glb.numbers(mesh["primitives"][0]["attributes"]["POSITION"])
    assert places.max(axis=0) * 1000 == pytest.approx((40, 40, 140), abs=0.5), "a surface goes before its hulls"


def test_glb_arm_rotates_about_its_hinge(swept: SimulationRecord) -> None:
    motion = Motion.of(swept.trajectory)
    glb = Glb.read(animated_glb(swept.world.scene, motion))
    assert errors(glb) == []
    tracks = glb.tracks("arm")
    times, places = tracks["translation"]
    _, turns = tracks["rotation"]
    angle_deg = np.degrees(2 * np.arctan2(turns[-1, 2], turns[-1, 3]))
    joint_deg = np.degrees(swept.trajectory.joint_position[-1, 0])
    assert angle_deg == pytest.approx(joint_deg, abs=0.1)
    assert abs(angle_deg) > 40
    np.testing.assert_allclose(places[0] * 1000, (110, 0, 45), atol=0.5)
    radius_mm = np.hypot(*places[:, :2].T) * 1000
    assert radius_mm == pytest.approx(np.full(len(times), 110), abs=2), "its middle stays 110 mm from the hinge"
    assert glb.tracks("table") == {}


def test_stills_show_the_arm_moving(swept: SimulationRecord) -> None:
    motion = Motion.of(swept.trajectory)
    drawn = SceneRenderer(swept.world.scene, motion, SMALL).stills(
        (Moment(0.0, ()), Moment(float(motion.time_s[-1]), ()))
    )
    before, after = (decoded(frame.png)[0] for frame in drawn.key_frames)
    changed = np.abs(before - after).max(axis=-1) > 40
    assert np.count_nonzero(changed) > 150
    assert drawn.poster_png != png(np.zeros((120, 160, 3), np.uint8))
