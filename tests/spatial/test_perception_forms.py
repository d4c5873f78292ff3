"""Perception of a sphere and a box before a level camera, where projection is a formula; and that none is left out."""

import ast
import re
from pathlib import Path
from typing import cast, get_type_hints

import numpy as np
import pytest
from contracts.models.questions.spatial_scene import (
    BoxShape,
    FrameState,
    Pose,
    SceneObject,
    SpatialScene,
    SphereShape,
)
from perception_worker.simulator.backend import SimulatorBackend
from spatial.namespace import Namespace, Tools

from tests.support.questions.perception import BLUE, RED, camera_at, namespace_of, question_about

WIDTH, HEIGHT, FOV_DEG = 320, 240, 50.0
FOCAL_PX = HEIGHT / 2 / np.tan(np.radians(FOV_DEG) / 2)
CENTRE = (WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5)
RADIUS_M, AWAY_M, BOX_M, BOX_X_M = 0.5, 4.0, 0.4, 1.2
FACE_M = AWAY_M - BOX_M / 2
"""Depth of the box's front face."""
ASIDE_M, SIDEWAYS_M = 0.5, 0.4
"""How far the sphere moves in frame 1, and the camera in frame 3; in frame 2 the sphere is behind the box."""


def _camera(x_m: float = 0.0):
    return camera_at((x_m, -AWAY_M, 1.0), (x_m, 0.0, 1.0), FOV_DEG)


def _at(x_m: float, y_m: float = 0.0) -> Pose:
    return Pose(position_m=(x_m, y_m, 1.0))


@pytest.fixture(scope="module")
def names(backend: SimulatorBackend) -> Namespace:
    behind_m = AWAY_M + 2
    states = (
        FrameState(camera=_camera()),
        FrameState(camera=_camera(), time_s=1.0, poses={"ball": _at(ASIDE_M)}),
        FrameState(camera=_camera(), time_s=2.0, poses={"ball": _at(BOX_X_M / FACE_M * (behind_m - RADIUS_M), 2.0)}),
        FrameState(camera=_camera(SIDEWAYS_M), time_s=3.0),
    )
    ball = SceneObject(label="ball", rgba=BLUE, shapes=(SphereShape(radius_m=RADIUS_M),), pose=_at(0.0))
    box = SceneObject(label="box", rgba=RED, shapes=(BoxShape(size_m=(BOX_M, BOX_M, BOX_M)),), pose=_at(BOX_X_M))
    scene = SpatialScene(objects=(ball, box), width_px=WIDTH, height_px=HEIGHT, states=states)
    return namespace_of(backend, question_about(backend, scene))


def test_reconstruction_has_the_depths_of_sphere_and_face_and_the_cameras_places(names: Namespace):
    rec = names["tools"].Reconstruct()
    u, v = CENTRE[0] + FOCAL_PX * BOX_X_M / FACE_M, CENTRE[1]
    assert rec.depth[0][round(v), round(u)] == pytest.approx(FACE_M, abs=1e-4)
    assert rec.depth[0][round(v), round(CENTRE[0])] == pytest.approx(AWAY_M - RADIUS_M, abs=1e-3)
    assert rec.intrinsics[0].fx == pytest.approx(FOCAL_PX)
    assert rec.extrinsics.position(3) - rec.extrinsics.position(0) == pytest.approx([SIDEWAYS_M, 0, 0])
    assert rec.extrinsics.position(0)[1] == pytest.approx(1.0)


def test_masks_of_a_sphere_have_the_area_of_its_cone_however_it_is_named(names: Namespace):
    segmenter, images = names["tools"].SAM3, names["InputImages"]
    outline_px = FOCAL_PX * RADIUS_M / np.sqrt(AWAY_M**2 - RADIUS_M**2)
    box = (CENTRE[0] - outline_px, CENTRE[1] - outline_px, CENTRE[0] + outline_px, CENTRE[1] + outline_px)
    found = [
        segmenter.segment_image_by_text(images[0], "ball"),
        segmenter.segment_image_by_points(images[0], [CENTRE]),
        segmenter.segment_image_by_box(images[0], box),
        segmenter.segment_video_by_text("ball", frame_indices=[0]),
        segmenter.segment_video_by_points([[CENTRE]], frame_indices=[0, 2]),
        segmenter.segment_video_by_box([box], frame_indices=[0, 2]),
    ]
    for masks in found:
        assert masks.mask(0, 0).sum() == pytest.approx(np.pi * outline_px**2, rel=0.01)
    exists = segmenter.is_object_exist(images, "ball")
    assert exists["counts"] == {0: 1, 1: 1, 2: exists["counts"][2], 3: 1}


def test_tracked_points_move_by_focal_length_over_depth_and_are_lost_where_hidden(names: Namespace):
    face = (CENTRE[0] + FOCAL_PX * BOX_X_M / FACE_M, CENTRE[1])
    tracks = names["tools"].Track.points([CENTRE, face])
    near_m = AWAY_M - RADIUS_M
    assert tracks[0] == pytest.approx(np.array([CENTRE, face]))
    assert tracks.shift(0, 1)[0] == pytest.approx([FOCAL_PX * ASIDE_M / near_m, 0], abs=0.02)
    assert tracks.shift(0, 1)[1] == pytest.approx([0, 0], abs=1e-3)
    assert np.isnan(tracks[2][0]).all()
    assert tracks.shift(0, 3)[0] == pytest.approx([-FOCAL_PX * SIDEWAYS_M / near_m, 0], abs=0.02)
    assert tracks.path(1)[:, 0] - face[0] == pytest.approx([0, 0, 0, -FOCAL_PX * SIDEWAYS_M / FACE_M], abs=1e-3)
    assert tracks.confidence[2].tolist() == [0, 255]
    assert "seen in each frame: 2, 2, 1, 2" in repr(tracks)


def test_flow_of_a_camera_that_moves_sideways_is_the_disparity_of_each_depth(names: Namespace):
    images, rec = names["InputImages"], names["tools"].Reconstruct()
    flow = names["tools"].Track.flow(images[0], images.at(3))
    shift = flow.shift(0, 3)
    is_seen = np.isfinite(shift[:, 0])
    u, v = flow[0][is_seen].astype(int).T
    assert is_seen.sum() > 500
    assert shift[is_seen, 0] == pytest.approx(-FOCAL_PX * SIDEWAYS_M / rec.depth[0][v, u], abs=1e-3)
    assert shift[is_seen, 1] == pytest.approx(0, abs=1e-3)
    assert len(flow[0]) == (HEIGHT // 8) * (WIDTH // 8)
    with pytest.raises(ValueError, match="flow is between two frames"):
        names["tools"].Track.flow(images[0], 0)


def test_view_from_above_has_the_face_of_the_box_and_the_path_of_the_ball(names: Namespace):
    tools, frames = names["tools"], names["InputImages"][:2]
    picture = tools.Draw.render_bev(
        tools.Reconstruct(frames), tools.SAM3.segment_video_by_text(["ball", "box"], frame_indices=[0, 1])
    )
    box = re.search(r"box_1: at x=(\S+?),? z=(\S+)", picture.text)
    assert box, picture.text
    assert float(box[1]) == pytest.approx(BOX_X_M, abs=0.1)
    assert float(box[2].rstrip(",;")) == pytest.approx(-FACE_M, abs=0.05)


def test_each_function_of_the_tools_is_measured_here_or_beside():
    files = (Path(__file__), Path(__file__).with_name("test_closed_forms.py"))
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))]
    called = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    functions = {
        name if name != "__call__" else tool
        for tool, kind in get_type_hints(Tools).items()
        for name in cast("dict[str, object]", vars(kind))
        if name == "__call__" or not name.startswith("_")
    }
    assert functions - called == set()
    assert len(functions) > 30
