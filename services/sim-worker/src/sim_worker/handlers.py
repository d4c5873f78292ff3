"""From a scene to a verdict: previews for roles that wonder, and the trial of a submitted design."""

import asyncio
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.artifact import ArtifactRef
from contracts.design import DesignInvalidated, DesignSimulated, DesignValidated, Finding
from contracts.rendering import Meshes, RenderCompleted, RenderFailed, RenderRequested
from contracts.scene import Scene
from contracts.simulation import (
    Media,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
    SimulationResult,
)
from pydantic import ValidationError

from sim_worker.encoding import png
from sim_worker.laboratory import Laboratory, Trial
from sim_worker.photographing import NotDrawableError
from sim_worker.rejection import SceneRejectedError

NAME = "sim-worker"


@dataclass(frozen=True)
class _Simulated:
    result: SimulationResult
    media: Media | None


async def simulate(
    request: SimulationRequested, artifacts: ArtifactStore, laboratory: Laboratory
) -> SimulationCompleted | SimulationFailed:
    """Preview a scene."""
    trial = Trial(request.replicas, request.seed)
    try:
        simulated = await _try(request.scene, trial, request.with_media, artifacts, laboratory)
    except SceneRejectedError as rejection:
        return SimulationFailed.answering(request, NAME, reason=rejection.reason, detail=rejection.detail)
    return SimulationCompleted.answering(request, NAME, result=simulated.result, media=simulated.media)


async def render(
    request: RenderRequested, artifacts: ArtifactStore, laboratory: Laboratory
) -> RenderCompleted | RenderFailed:
    """Draw geometry for a cell."""
    try:
        meshes = Meshes.model_validate_json(await artifacts.get(request.meshes))
    except ValidationError as error:
        return RenderFailed.answering(request, NAME, reason="meshes_invalid", detail=_first(error))
    size = (request.view_width_px, request.view_height_px)
    try:
        picture = await asyncio.to_thread(laboratory.photograph, meshes, request.views, *size)
    except NotDrawableError as error:
        return RenderFailed.answering(request, NAME, reason=error.reason, detail=str(error))
    height_px, width_px, _ = picture.shape
    stored = await artifacts.put(png(picture), "image/png")
    return RenderCompleted.answering(request, NAME, picture=stored, width_px=width_px, height_px=height_px)


async def verify(
    design: DesignValidated, artifacts: ArtifactStore, laboratory: Laboratory
) -> DesignSimulated | DesignInvalidated:
    """Put a valid design to the trial: nominal run, replicas and media. The same design meets the same replicas."""
    trial = Trial(design.replicas, design.assignment.variant.seed)
    try:
        simulated = await _try(design.scene, trial, True, artifacts, laboratory)
    except SceneRejectedError as rejection:
        finding = Finding(rule="not_simulatable", detail=rejection.detail)
        limits = design.assignment.limits
        return DesignInvalidated.answering(design, NAME, findings=(finding,), bill=design.bill, limits=limits)
    return DesignSimulated.answering(
        design,
        NAME,
        assignment=design.assignment,
        model=design.model,
        delivery=design.delivery.model_copy(update={"media": simulated.media}),
        bill=design.bill,
        result=simulated.result,
    )


async def _try(
    ref: ArtifactRef, trial: Trial, has_media: bool, artifacts: ArtifactStore, laboratory: Laboratory
) -> _Simulated:
    """Run a stored scene; the work is done in threads, so that the service stays responsive meanwhile."""
    scene = _read(await artifacts.get(ref))
    experiment = await asyncio.to_thread(laboratory.run, scene, trial)
    if not has_media:
        return _Simulated(experiment.result, None)
    shown = await asyncio.to_thread(laboratory.show, experiment)
    media = Media(
        video=await artifacts.put(shown.film.video_mp4, "video/mp4"),
        glb=await artifacts.put(shown.glb, "model/gltf-binary"),
        trajectory=await artifacts.put(shown.trajectory_npz, "application/x-npz"),
        poster=await artifacts.put(shown.film.poster_png, "image/png"),
        mjcf=await artifacts.put(shown.mjcf, "application/xml"),
    )
    return _Simulated(experiment.result, media)


def _read(packed: bytes) -> Scene:
    try:
        return Scene.model_validate_json(packed)
    except ValidationError as error:
        raise SceneRejectedError("scene_invalid", f"the scene is malformed at {_first(error)}") from error


def _first(error: ValidationError) -> str:
    """Return where the first thing is wrong, and what."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}"
