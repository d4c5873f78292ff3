"""Handlers: from an operation about frames to its result, whose arrays are stored."""

import asyncio
from collections.abc import Sequence
from io import BytesIO
from time import monotonic
from uuid import UUID

from artifacts.port import ArtifactError, ArtifactStore
from contracts.envelope import answering
from contracts.events.perception import (
    BackendName,
    KernelOperation,
    PerceptionCompleted,
    PerceptionFailed,
    PerceptionRequested,
    PerceptionResult,
    Rendered,
    RenderFrames,
    SegmentImage,
    TrackPoints,
)
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.questions.frames import FrameRef, SceneState
from contracts.models.questions.spatial_scene import SpatialScene
from PIL import Image, UnidentifiedImageError
from pydantic import ValidationError
from spatial.arrays import NPZ_TYPE, Bytes

from perception_worker.classic import backend as classic
from perception_worker.gpu.backend import GpuBackend
from perception_worker.results import Found, RefusedError
from perception_worker.simulator.backend import SimulatorBackend, source_of


def png(pixels: Bytes) -> bytes:
    """Return pixels (h, w, 3) as a PNG."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, format="PNG", compress_level=1)
    return file.getvalue()


def checked_picture(data: bytes, frame: FrameRef) -> bytes:
    """Return a picture's file if it can be read and has the size of its frame; raise `RefusedError`."""
    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:
            size = picture.size
            if size == (frame.width_px, frame.height_px):
                picture.load()
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise RefusedError(
            "image_unreadable", f"the picture of frame {frame.frame_index} cannot be read: {error}"
        ) from error
    if size != (frame.width_px, frame.height_px):
        raise RefusedError(
            "image_unreadable",
            f"the picture of frame {frame.frame_index} is {size[0]} x {size[1]} px, "
            f"not {frame.width_px} x {frame.height_px}",
        )
    return data


NAME = "perception-worker"


async def perceive(
    request: PerceptionRequested, artifacts: ArtifactStore, simulator: SimulatorBackend, gpu: GpuBackend | None
) -> PerceptionCompleted | PerceptionFailed:
    """Answer one operation: from the frames' scene, by a GPU server, or classically; no server tracks points."""
    started_s = monotonic()
    operation = request.operation
    backend: BackendName = "simulator"
    try:
        if isinstance(operation, RenderFrames):
            result: PerceptionResult = await render_frames(operation, artifacts, simulator)
        else:
            if not _have_scenes(operation):
                is_served = gpu is not None and not isinstance(operation, TrackPoints) and await gpu.has_servers()
                backend = "gpu" if is_served else "classic"
            served = gpu if backend == "gpu" else None
            found = await _find(operation, artifacts, simulator, served, request.run_id)
            arrays = await artifacts.put(await asyncio.to_thread(found.packed), NPZ_TYPE)
            result = found.result(arrays)
    except RefusedError as refusal:
        return PerceptionFailed(
            **answering(request, NAME), reason=refusal.reason, detail=str(refusal), retry_after_s=refusal.retry_after_s
        )
    return PerceptionCompleted(
        **answering(request, NAME),
        backend=backend,
        result=result,
        duration_ms=1000 * (monotonic() - started_s),
    )


def frames_of(operation: KernelOperation) -> Sequence[FrameRef]:
    """Return the frames that an operation is about."""
    return (operation.frame,) if isinstance(operation, SegmentImage) else operation.frames


def _have_scenes(operation: KernelOperation) -> bool:
    return all(frame.source is not None for frame in frames_of(operation))


async def _find(
    operation: KernelOperation,
    artifacts: ArtifactStore,
    simulator: SimulatorBackend,
    gpu: GpuBackend | None,
    run_id: UUID,
) -> Found:
    if not _have_scenes(operation):
        pictures: dict[Sha256, bytes] = {}
        for frame in frames_of(operation):
            data = await _stored(frame.picture, artifacts)
            pictures[frame.picture.sha256] = await asyncio.to_thread(checked_picture, data, frame)
        if gpu is None:
            return await asyncio.to_thread(classic.answer, operation, pictures)
        return await gpu.answer(operation, pictures, run_id)
    refs = {source_of(frame).scene.sha256: source_of(frame).scene for frame in frames_of(operation)}
    scenes = {digest: await _scene(ref, artifacts) for digest, ref in refs.items()}
    return await asyncio.to_thread(simulator.answer, operation, lambda ref: scenes[ref.sha256])


async def render_frames(operation: RenderFrames, artifacts: ArtifactStore, simulator: SimulatorBackend) -> Rendered:
    """Render and store frames of a stored scene; raise `RefusedError`."""
    scene = await _scene(operation.scene, artifacts)
    frames: list[FrameRef] = []
    for state, picture in await asyncio.to_thread(simulator.pictures, operation, scene):
        stored = await artifacts.put(await asyncio.to_thread(png, picture), "image/png")
        frames.append(
            FrameRef(
                picture=stored,
                frame_index=state,
                time_s=scene.states[state].time_s,
                width_px=scene.width_px,
                height_px=scene.height_px,
                source=SceneState(scene=operation.scene, state=state),
            )
        )
    return Rendered(kind="rendered", frames=tuple(frames))


async def _scene(ref: ArtifactRef, artifacts: ArtifactStore) -> SpatialScene:
    data = await _stored(ref, artifacts)
    try:
        return await asyncio.to_thread(SpatialScene.model_validate_json, data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(step) for step in first["loc"])
        raise RefusedError("scene_invalid", f"the scene is malformed at {path}: {first['msg']}") from error


async def _stored(ref: ArtifactRef, artifacts: ArtifactStore) -> bytes:
    try:
        return await artifacts.get(ref)
    except ArtifactError as error:
        raise RefusedError("unknown_frame", str(error)) from error
