"""Perception without a server: measured against films whose cameras and depths are known, or refused with why."""

from functools import cache

import numpy as np
import pytest
from artifacts.port import reference
from contracts.events.perception import Reconstruct, SegmentImage, TextPrompt
from contracts.models.questions.frames import FrameRef
from perception_worker.classic import backend
from perception_worker.handlers import png
from perception_worker.results import ReconstructedFrames, RefusedError
from spatial.arrays import NPZ_TYPE, Floats
from spatial.reconstruction import Reconstruction

from tests.support.films.rendered import TILE_M, Film, Motion, render_film


@cache
def film(motion: Motion) -> Film:
    return render_film(motion, seed=0, frames=5, size=(320, 240), part=0.35)


def frames_of(motion: Motion) -> tuple[tuple[FrameRef, ...], dict[str, bytes]]:
    encoded = [png(picture) for picture in film(motion).pictures]
    refs = [reference(each, "image/png") for each in encoded]
    frames = tuple(
        FrameRef(picture=ref, frame_index=3 * number, width_px=320, height_px=240) for number, ref in enumerate(refs)
    )
    return frames, {ref.sha256: each for ref, each in zip(refs, encoded, strict=True)}


@cache
def found(motion: Motion) -> ReconstructedFrames:
    frames, files = frames_of(motion)
    answer = backend.answer(Reconstruct(kind="reconstruct", frames=frames), files)
    assert isinstance(answer, ReconstructedFrames)
    return answer


def positions_after_scale(answer: ReconstructedFrames, truth: Floats) -> tuple[float, Floats]:
    """Return the scale (m per unit) that fits the cameras' distances best, and their errors after it (m)."""
    mine, theirs = (each[:, None, :3, 3] - each[None, :, :3, 3] for each in (answer.extrinsics, truth))
    ours, true = np.linalg.norm(mine, axis=-1), np.linalg.norm(theirs, axis=-1)
    scale = float((ours * true).sum() / (ours**2).sum())
    return scale, np.abs(scale * ours - true)


def test_cameras_and_depths_of_an_orbit_are_those_of_its_film():
    answer, truth = found("orbit"), film("orbit")
    scale, errors = positions_after_scale(answer, truth.poses)
    assert errors.max() < 0.03
    known = answer.confidence > 128
    assert known.sum() > 500
    assert np.median(np.abs(scale * answer.depth[known] / truth.depth[known] - 1)) < 0.02
    assert answer.intrinsics[0].fx == pytest.approx(truth.focal_px, rel=0.05)
    assert answer.extrinsics[0, 1, 3] * scale == pytest.approx(truth.poses[0, 2, 3], rel=0.05)  # above the ground


def test_result_is_named_up_to_scale_until_a_length_is_known():
    answer, truth = found("orbit"), film("orbit")
    packed = answer.packed()
    rec = Reconstruction(answer.result(reference(packed, NPZ_TYPE)), packed)
    assert not rec.is_metric
    assert np.isnan(rec.metric_scale)
    assert "NOTE up to scale: lengths have no unit" in repr(rec)
    scale, _ = positions_after_scale(answer, truth.poses)
    pose = truth.poses[0]
    a, b = (_pixel(pose, corner, truth.focal_px) for corner in truth.tile[:2])
    metric = rec.with_known_length(TILE_M, rec.point_at(0, *a), rec.point_at(0, *b))
    assert metric.is_metric
    assert metric.extrinsics[3][:3, 3] == pytest.approx(scale * rec.extrinsics[3][:3, 3], rel=0.06)
    assert metric.depth[0] == pytest.approx(rec.depth[0] * metric.extrinsics[0][1, 3] / rec.extrinsics[0][1, 3])


def _pixel(pose: Floats, point: Floats, focal_px: float) -> tuple[float, float]:
    x, y, z = pose[:3, :3].T @ (point - pose[:3, 3])
    return float(focal_px * x / z + 159.5), float(focal_px * y / z + 119.5)


def test_camera_that_does_not_move_is_refused_with_the_reason():
    frames, files = frames_of("static")
    with pytest.raises(RefusedError, match="the camera does not change its place") as refused:
        backend.answer(Reconstruct(kind="reconstruct", frames=frames), files)
    assert refused.value.reason == "no_parallax"


def test_plain_pictures_and_words_are_refused_with_what_is_missing():
    plain = png(np.full((240, 320, 3), 90, np.uint8))
    ref = reference(plain, "image/png")
    frames = tuple(FrameRef(picture=ref, frame_index=n, width_px=320, height_px=240) for n in range(3))
    with pytest.raises(RefusedError, match="no two frames have 40 points in common"):
        backend.answer(Reconstruct(kind="reconstruct", frames=frames), {ref.sha256: plain})
    with pytest.raises(RefusedError, match="depth needs 3 or more frames"):
        backend.answer(Reconstruct(kind="reconstruct", frames=frames[:1]), {ref.sha256: plain})
    cup = TextPrompt(kind="text", text="cup")
    with pytest.raises(RefusedError, match="no server segments these pictures"):
        backend.answer(SegmentImage(kind="segment_image", frame=frames[0], prompt=cup), {ref.sha256: plain})
