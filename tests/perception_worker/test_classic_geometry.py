"""Perception without a server: measured against films whose cameras and depths are known, or refused with why."""

from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import av
import cv2
import numpy as np
import pytest
from artifacts.testing import FakeArtifacts
from contracts.events.perception import (
    PerceptionCompleted,
    PerceptionFailed,
    PerceptionRequested,
    Reconstruct,
    Reconstructed,
    SegmentImage,
    TextPrompt,
)
from contracts.models.questions.frames import FrameRef
from perception_worker.gpu.backend import GpuBackend
from perception_worker.gpu.client import GpuClient
from perception_worker.gpu.servers import Servers
from perception_worker.handlers import perceive, png
from perception_worker.simulator.backend import SimulatorBackend
from PIL import ExifTags, Image
from questions.media.images import SampledMedia, load_images
from questions.media.videos import sample_video
from spatial.reconstruction import Reconstruction

from tests.support.films.rendered import TILE_M, Film, Motion, render_film, wide_film
from tests.support.films.trajectory import fit_to_truth

ORIENTATION, TURNED = 0x0112, 6
"""EXIF: the camera was turned by 90 degrees."""
FILM_DIAGONAL_MM = 43.2666


@cache
def film(motion: Motion, part: float = 0.5) -> Film:
    return render_film(motion, seed=0, frames=5, size=(360, 270), part=part)


def photos(motion: Motion, part: float = 0.5, film_mm: float = 0) -> SampledMedia:
    """Return a film's frames as JPEG files of a camera that was held upright, and states its focal length."""
    exif = Image.Exif()
    exif[ORIENTATION] = TURNED
    if film_mm:
        exif.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.FocalLengthIn35mmFilm] = round(film_mm)
    files: list[tuple[str, bytes]] = []
    for number, picture in enumerate(film(motion, part).pictures):
        file = BytesIO()
        Image.fromarray(np.rot90(picture)).save(file, "JPEG", quality=92, exif=exif)
        files.append((f"{number}.jpg", file.getvalue()))
    return load_images(files)


def plain() -> SampledMedia:
    """Return three pictures of one colour."""
    picture = png(np.full((60, 80, 3), 90, np.uint8))
    return load_images([(f"{number}.png", picture) for number in range(3)])


def video(motion: Motion, folder: Path) -> SampledMedia:
    """Return a film's frames as a person's video, compressed."""
    path, shot = folder / "film.mp4", film(motion)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=5, options={"preset": "veryfast", "crf": "20"})  # pyright: ignore[reportUnknownMemberType] - typed in part
        stream.height, stream.width, stream.pix_fmt = *shot.pictures.shape[1:3], "yuv420p"
        for picture in shot.pictures:
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            container.mux(stream.encode(frame))  # pyright: ignore[reportUnknownMemberType] - typed in part
        container.mux(stream.encode(None))  # pyright: ignore[reportUnknownMemberType] - typed in part
    return sample_video(path)


async def ask(
    backend: SimulatorBackend, media: SampledMedia, words: str = "", gpu: GpuBackend | None = None
) -> tuple[PerceptionCompleted | PerceptionFailed, FakeArtifacts]:
    """Ask perception-worker about a person's own pictures."""
    artifacts = FakeArtifacts()
    frames = [
        FrameRef(
            picture=await artifacts.put(each.png, "image/png"),
            frame_index=each.frame_index,
            width_px=each.width_px,
            height_px=each.height_px,
            focal_px=each.focal_px,
        )
        for each in media.frames
    ]
    operation: Reconstruct | SegmentImage = Reconstruct(kind="reconstruct", frames=tuple(frames))
    if words:
        operation = SegmentImage(kind="segment_image", frame=frames[0], prompt=TextPrompt(kind="text", text=words))
    request = PerceptionRequested(
        id=uuid4(), run_id=uuid4(), kind="question", role="spatial-agent", producer="cad-worker", operation=operation
    )
    outcome = await perceive(request, artifacts, backend, gpu)
    assert isinstance(outcome, PerceptionCompleted | PerceptionFailed)
    return outcome, artifacts


async def reconstruct(backend: SimulatorBackend, media: SampledMedia, gpu: GpuBackend | None = None) -> Reconstruction:
    outcome, artifacts = await ask(backend, media, gpu=gpu)
    assert isinstance(outcome, PerceptionCompleted), outcome
    assert isinstance(outcome.result, Reconstructed)
    assert outcome.backend == "classic"
    return Reconstruction(outcome.result, await artifacts.get(outcome.result.arrays))


async def refusal(backend: SimulatorBackend, media: SampledMedia, words: str = "") -> PerceptionFailed:
    outcome, _ = await ask(backend, media, words)
    assert isinstance(outcome, PerceptionFailed), outcome
    return outcome


async def test_turned_photos_of_an_orbit_give_its_cameras_and_depths(backend: SimulatorBackend):
    rec, truth = await reconstruct(backend, photos("orbit")), film("orbit")
    poses = np.stack([rec.extrinsics[number] for number in rec.frame_indices])
    fit = fit_to_truth(poses, truth.poses)
    assert fit.position_m.max() < 0.02 * fit.path_m
    assert fit.rotation_deg.max() < 1.0
    depths = np.stack([rec.depth[number] for number in rec.frame_indices])
    known = np.stack([rec.points.confidence[number] for number in rec.frame_indices]) > 128
    assert known.sum() > 1000
    assert np.median(np.abs(fit.scale * depths[known] / truth.depth[known] - 1)) < 0.01
    assert rec.intrinsics[0].fx == pytest.approx(truth.focal_px, rel=0.03)
    assert rec.extrinsics[0][1, 3] * fit.scale == pytest.approx(truth.poses[0, 2, 3], rel=0.03)  # above the ground
    assert not rec.is_metric
    assert np.isnan(rec.metric_scale)
    assert "NOTE up to scale: lengths have no unit" in repr(rec)


async def test_lens_with_distortion_is_found_and_its_points_are_where_they_are(backend: SimulatorBackend):
    """At the corners as in the middle: the lens has other terms than the estimate."""
    truth = wide_film("orbit", 5, (-0.2, 0.03), 8, (400, 300))
    rec = await reconstruct(backend, load_images([(f"{n}.png", png(each)) for n, each in enumerate(truth.pictures)]))
    fit = fit_to_truth(np.stack([rec.extrinsics[number] for number in rec.frame_indices]), truth.poses)
    assert fit.position_m.max() < 0.005 * fit.path_m
    assert rec.intrinsics[0].fx == pytest.approx(truth.focal_px, rel=0.05)
    assert any("lens distortion: at the corners 2" in note for note in rec.notes)
    rows, columns = np.nonzero(rec.points.confidence[0] > 128)
    mine = rec.points[0][rows, columns]
    rays = (mine - rec.extrinsics[0][:3, 3]) @ rec.extrinsics[0][:3, :3]
    true = rays_through_lens(np.column_stack([columns, rows]), truth, (-0.2, 0.03))
    apart = np.degrees(np.linalg.norm(rays[:, :2] / rays[:, 2:] - true, axis=1))
    assert np.hypot(columns - 199.5, rows - 149.5).max() > 200
    assert np.median(apart) < 0.5
    assert apart.max() < 3


def rays_through_lens(pixels: np.ndarray, truth: Film, terms: tuple[float, float]) -> np.ndarray:
    """Return x / z and y / z of what pixels show, by OpenCV."""
    (height, width), focal = truth.depth.shape[1:], truth.focal_px
    matrix = np.array([[focal, 0, width / 2 - 0.5], [0, focal, height / 2 - 0.5], [0, 0, 1.0]])
    return cv2.undistortPoints(pixels[:, None].astype(np.float64), matrix, np.array([*terms, 0.0, 0.0]))[:, 0]


async def test_lens_without_distortion_is_left_without(backend: SimulatorBackend):
    rec = await reconstruct(backend, photos("orbit"))
    assert rec.intrinsics[0].radial == 0
    assert "no lens distortion was found" in rec.notes


async def test_video_of_a_walk_is_measured_in_metres_by_a_known_tile(backend: SimulatorBackend, tmp_path: Path):
    rec, truth = await reconstruct(backend, video("walk", tmp_path)), film("walk")
    a, b = (rec.point_at(0, u, v) for u, v in truth.pixels(0, truth.tile[:2]))
    metric = rec.with_known_length(TILE_M, a, b)
    assert metric.is_metric
    assert "metres by the known length of 0.3 m" in repr(metric)
    walked = np.linalg.norm(metric.extrinsics.position(4) - metric.extrinsics.position(0))
    assert walked == pytest.approx(float(np.linalg.norm(truth.poses[4, :3, 3] - truth.poses[0, :3, 3])), rel=0.08)


async def test_server_that_is_neither_configured_nor_announced_is_not_asked(backend: SimulatorBackend):
    client = GpuClient(Servers(()), "token", call_s=1, wait_s=60)
    try:
        refused, _ = await ask(backend, plain(), gpu=GpuBackend(client))
    finally:
        await client.stop()
    assert isinstance(refused, PerceptionFailed)
    assert refused.reason == "too_little_texture"


@pytest.mark.parametrize("motion", ["static", "pan"])
async def test_camera_that_stays_at_its_place_is_refused_with_the_reason(backend: SimulatorBackend, motion: Motion):
    refused = await refusal(backend, photos(motion))
    assert refused.reason == "no_parallax"
    assert "the camera does not change its place" in refused.detail


async def test_motion_too_small_for_the_focal_length_is_refused_and_not_guessed(backend: SimulatorBackend):
    refused = await refusal(backend, photos("orbit", part=0.06))
    assert refused.reason == "no_parallax"
    assert "the camera moves too little: its focal length is known to" in refused.detail


async def test_pictures_of_different_places_are_refused(backend: SimulatorBackend):
    media = photos("orbit")
    others = replace(media, frames=(*media.frames[:3], replace(photos("pan").frames[0], frame_index=3)))
    refused = await refusal(backend, others)
    assert refused.reason == "too_little_texture"
    assert "the frames at the positions 3 have too little in common" in refused.detail


async def test_plain_or_few_pictures_and_words_are_refused_with_what_is_missing(backend: SimulatorBackend):
    media = plain()
    assert "no two frames have 40 points in common" in (await refusal(backend, media)).detail
    few = replace(media, frames=media.frames[:1])
    assert "3 or more frames of one size, not 1 of 1 sizes" in (await refusal(backend, few)).detail
    refused = await refusal(backend, media, words="cup")
    assert refused.reason == "backend_unavailable"
    assert "no server segments these pictures" in refused.detail


@pytest.mark.parametrize("share", [1.0, 1.6], ids=["true", "of a cropped photo"])
async def test_focal_length_that_photos_state_is_where_the_search_begins_and_not_the_result(
    backend: SimulatorBackend, share: float
):
    truth = film("orbit")
    film_mm = share * truth.focal_px * FILM_DIAGONAL_MM / np.hypot(360, 270)
    rec = await reconstruct(backend, photos("orbit", film_mm=film_mm))
    stated_px = round(film_mm) * np.hypot(360, 270) / FILM_DIAGONAL_MM
    assert any(f"from {stated_px:.0f} px that the photos' EXIF data state" in note for note in rec.notes)
    assert rec.intrinsics[0].fx == pytest.approx(truth.focal_px, rel=0.03)
