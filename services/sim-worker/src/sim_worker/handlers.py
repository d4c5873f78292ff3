"""From a scene to a verdict, and to pictures of what was judged: previews, trials, films."""

import asyncio

from artifacts.port import ArtifactStore
from contracts.events.design import DesignInvalidated, DesignSimulated, DesignValidated
from contracts.events.rendering import Meshes, RenderCompleted, RenderFailed, RenderRequested
from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)
from contracts.models.artifact import ArtifactRef
from contracts.models.design import Finding
from contracts.models.scene import Scene
from contracts.models.simulation import KeyFrame, Media, SimulationResult
from pydantic import ValidationError

from sim_worker.media.encoders import png
from sim_worker.media.motion import NothingToFilmError
from sim_worker.media.studio import Shown, Studio
from sim_worker.media.view_sheet import NotDrawableError
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationRun, SimulationSettings, Simulator

NAME = "sim-worker"
TRAJECTORY_TYPE = "application/x-npz"


async def simulate(
    request: SimulationRequested, artifacts: ArtifactStore, laboratory: Simulator
) -> SimulationCompleted | SimulationFailed:
    """Preview a scene."""
    try:
        result = await _try(request.scene, SimulationSettings(request.replicas, request.seed), artifacts, laboratory)
    except SceneRejectedError as rejection:
        return SimulationFailed.answering(request, NAME, reason=rejection.reason, detail=rejection.detail)
    return SimulationCompleted.answering(request, NAME, result=result)


async def render(request: RenderRequested, artifacts: ArtifactStore, studio: Studio) -> RenderCompleted | RenderFailed:
    """Draw geometry for a cell."""
    try:
        meshes = Meshes.model_validate_json(await artifacts.get(request.meshes))
    except ValidationError as error:
        return RenderFailed.answering(request, NAME, reason="meshes_invalid", detail=_first(error))
    size = (request.view_width_px, request.view_height_px)
    try:
        picture = await asyncio.to_thread(studio.photograph, meshes, request.views, *size)
    except NotDrawableError as error:
        return RenderFailed.answering(request, NAME, reason=error.reason, detail=str(error))
    height_px, width_px, _ = picture.shape
    stored = await artifacts.put(png(picture), "image/png")
    return RenderCompleted.answering(request, NAME, picture=stored, width_px=width_px, height_px=height_px)


async def verify(
    design: DesignValidated, artifacts: ArtifactStore, laboratory: Simulator
) -> DesignSimulated | DesignInvalidated:
    """Put a valid design to the trial: nominal run and replicas. The same design meets the same replicas."""
    trial = SimulationSettings(design.replicas, design.assignment.variant.seed)
    try:
        result = await _try(design.scene, trial, artifacts, laboratory)
    except SceneRejectedError as rejection:
        finding = Finding(rule="not_simulatable", detail=rejection.detail)
        limits = design.assignment.limits
        return DesignInvalidated.answering(design, NAME, findings=(finding,), bill=design.bill, limits=limits)
    return DesignSimulated.answering(
        design,
        NAME,
        assignment=design.assignment,
        model=design.model,
        delivery=design.delivery.model_copy(update={"scene": design.scene}),
        bill=design.bill,
        result=result,
    )


async def film(
    request: FilmRequested, artifacts: ArtifactStore, laboratory: Simulator, studio: Studio
) -> FilmCompleted | FilmFailed:
    """Show a run that was judged before: it is run once more, and must behave as it did then."""
    try:
        experiment = await _run(request.scene, SimulationSettings(replicas=1, seed=0), artifacts, laboratory)
        digest = experiment.result.trajectory_digest
        if digest != request.trajectory_digest:
            detail = (
                f"it has the trajectory {digest[:12]} now, and had {request.trajectory_digest[:12]} when it was judged"
            )
            return FilmFailed.answering(request, NAME, reason="ran_differently", detail=detail)
        shown = await asyncio.to_thread(studio.show, experiment, request.window_s)
    except SceneRejectedError as rejection:
        return FilmFailed.answering(request, NAME, reason=rejection.reason, detail=rejection.detail)
    except NothingToFilmError as error:
        return FilmFailed.answering(request, NAME, reason="nothing_to_film", detail=str(error))
    media = await _stored(shown, artifacts)
    return FilmCompleted.answering(request, NAME, summary_md=experiment.result.summary_md, media=media)


async def _stored(shown: Shown, artifacts: ArtifactStore) -> Media:
    return Media(
        video=await artifacts.put(shown.video_mp4, "video/mp4"),
        glb=await artifacts.put(shown.glb, "model/gltf-binary"),
        trajectory=await artifacts.put(shown.trajectory_npz, TRAJECTORY_TYPE),
        poster=await artifacts.put(shown.stills.poster_png, "image/png"),
        mjcf=await artifacts.put(shown.mjcf, "application/zip"),
        contact_sheet=await artifacts.put(shown.stills.contact_sheet_png, "image/png"),
        key_frames=tuple(
            [
                KeyFrame(time_s=each.time_s, caption=each.caption, picture=await artifacts.put(each.png, "image/png"))
                for each in shown.stills.key_frames
            ]
        ),
    )


async def _try(
    ref: ArtifactRef, trial: SimulationSettings, artifacts: ArtifactStore, laboratory: Simulator
) -> SimulationResult:
    """Return the verdict on a stored scene, and what may be read of the run besides."""
    experiment = await _run(ref, trial, artifacts, laboratory)
    stored = await artifacts.put(experiment.trajectory.as_npz(), TRAJECTORY_TYPE)
    return experiment.result.model_copy(update={"trajectory": stored})


async def _run(
    ref: ArtifactRef, trial: SimulationSettings, artifacts: ArtifactStore, laboratory: Simulator
) -> SimulationRun:
    """Run a stored scene; the work is done in threads, so that the service stays responsive meanwhile."""
    scene = _read(await artifacts.get(ref))
    return await asyncio.to_thread(laboratory.run, scene, trial)


def _read(packed: bytes) -> Scene:
    try:
        return Scene.model_validate_json(packed)
    except ValidationError as error:
        raise SceneRejectedError("scene_invalid", f"the scene is malformed at {_first(error)}") from error


def _first(error: ValidationError) -> str:
    """Return where the first thing is wrong, and what."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}"
