"""Handlers: from a scene to a verdict, and from a judged scene or a cell's geometry to pictures."""

import asyncio
from collections.abc import Mapping

from artifacts.port import ArtifactStore, put_json
from contracts.envelope import answering
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

from sim_worker.media.film import SHEET_SHOWS
from sim_worker.media.images import png
from sim_worker.media.motion import NothingToFilmError
from sim_worker.media.renderer import MediaRenderer, SimulationMedia
from sim_worker.media.view_sheet import NotDrawableError
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.cancellation import run_in_thread
from sim_worker.simulator import SimulationRecord, SimulationSettings, Simulator

NAME = "sim-worker"
TRAJECTORY_TYPE = "application/x-npz"


async def simulate(
    request: SimulationRequested, artifacts: ArtifactStore, simulator: Simulator
) -> SimulationCompleted | SimulationFailed:
    """Simulate a scene as a preview."""
    settings = SimulationSettings(request.replicas, request.seed)
    try:
        scene, record = await simulate_stored(request.scene, request.part_steps, settings, artifacts, simulator)
    except SceneRejectedError as rejection:
        return SimulationFailed(**answering(request, NAME), reason=rejection.reason, detail=rejection.detail)
    return SimulationCompleted(**answering(request, NAME), result=await _stored(record, artifacts), scene=scene)


async def render(
    request: RenderRequested, artifacts: ArtifactStore, renderer: MediaRenderer
) -> RenderCompleted | RenderFailed:
    """Draw geometry for a cell."""
    try:
        meshes = Meshes.model_validate_json(await artifacts.get(request.meshes))
    except ValidationError as error:
        return RenderFailed(**answering(request, NAME), reason="meshes_invalid", detail=_first_problem(error))
    size = (request.view_width_px, request.view_height_px)
    try:
        picture = await asyncio.to_thread(renderer.render_views, meshes, request.views, *size)
    except NotDrawableError as error:
        return RenderFailed(**answering(request, NAME), reason=error.reason, detail=str(error))
    height_px, width_px, _ = picture.shape
    stored = await artifacts.put(png(picture), "image/png")
    return RenderCompleted(**answering(request, NAME), picture=stored, width_px=width_px, height_px=height_px)


async def verify(
    design: DesignValidated, artifacts: ArtifactStore, simulator: Simulator
) -> DesignSimulated | DesignInvalidated:
    """Simulate a valid design with its replicas; the variant's seed gives the same design the same replicas."""
    settings = SimulationSettings(design.replicas, design.assignment.variant.seed, has_aftermath=True)
    try:
        steps = design.delivery.part_steps
        scene, record = await simulate_stored(design.scene, steps, settings, artifacts, simulator)
    except SceneRejectedError as rejection:
        label, place_mm = rejection.label, rejection.place_mm
        finding = Finding(rule="not_simulatable", label=label, detail=rejection.detail, place_mm=place_mm)
        return DesignInvalidated(
            **answering(design, NAME),
            findings=(finding,),
            bill=design.bill,
            limits=design.assignment.limits,
            scene=design.scene,
        )
    return DesignSimulated(
        **answering(design, NAME),
        assignment=design.assignment,
        model=design.model,
        delivery=design.delivery.model_copy(update={"scene": scene}),
        bill=design.bill,
        result=await _stored(record, artifacts),
    )


async def film(
    request: FilmRequested, artifacts: ArtifactStore, simulator: Simulator, renderer: MediaRenderer
) -> FilmCompleted | FilmFailed:
    """Film a judged run: it is simulated again, and must have the same trajectory."""
    settings = SimulationSettings(replicas=1, seed=0)
    try:
        _, simulation = await simulate_stored(request.scene, {}, settings, artifacts, simulator)
        digest = simulation.result.trajectory_digest
        if digest != request.trajectory_digest:
            detail = f"its trajectory is {digest[:12]} now, and was {request.trajectory_digest[:12]} when it was judged"
            return FilmFailed(**answering(request, NAME), reason="ran_differently", detail=detail)
        media = await run_in_thread(
            lambda cancellation: renderer.render_simulation(simulation, request.window_s, cancellation)
        )
    except SceneRejectedError as rejection:
        return FilmFailed(**answering(request, NAME), reason=rejection.reason, detail=rejection.detail)
    except NothingToFilmError as error:
        return FilmFailed(**answering(request, NAME), reason="nothing_to_film", detail=str(error))
    stored = await _store(media, artifacts)
    return FilmCompleted(**answering(request, NAME), summary_md=simulation.result.summary_md, media=stored)


async def _store(media: SimulationMedia, artifacts: ArtifactStore) -> Media:
    return Media(
        video=await artifacts.put(media.film.video_mp4, "video/mp4"),
        clip=await artifacts.put(media.film.clip_webp, "image/webp"),
        glb=await artifacts.put(media.glb, "model/gltf-binary"),
        trajectory=await artifacts.put(media.trajectory_npz, TRAJECTORY_TYPE),
        poster=await artifacts.put(media.stills.poster_png, "image/png"),
        mjcf=await artifacts.put(media.mjcf, "application/zip"),
        contact_sheet=await artifacts.put(media.stills.contact_sheet_png, "image/png"),
        contact_sheet_show=SHEET_SHOWS,
        views=await artifacts.put(png(media.views.picture), "image/png"),
        views_show=media.views.description,
        key_frames=tuple(
            [
                KeyFrame(time_s=each.time_s, caption=each.caption, picture=await artifacts.put(each.png, "image/png"))
                for each in media.stills.key_frames
            ]
        ),
    )


async def simulate_stored(
    ref: ArtifactRef,
    part_steps: Mapping[str, ArtifactRef],
    settings: SimulationSettings,
    artifacts: ArtifactStore,
    simulator: Simulator,
) -> tuple[ArtifactRef, SimulationRecord]:
    """Simulate a stored scene in a thread, and return the stored scene with what finite elements found.

    They look at the doubtful ones of the parts whose STEP files are given. Raises `SceneRejectedError`.
    """
    scene = _scene_of(await artifacts.get(ref))
    labels = await run_in_thread(lambda cancellation: simulator.judged_parts(scene, cancellation)) if part_steps else []
    solids = {label: await artifacts.get(part_steps[label]) for label in labels if label in part_steps}
    record = await run_in_thread(lambda cancellation: simulator.simulate(scene, settings, cancellation, solids=solids))
    found = record.world.scene
    return ref if found == scene else await put_json(artifacts, found), record


async def _stored(record: SimulationRecord, artifacts: ArtifactStore) -> SimulationResult:
    """Return the result with its stored trajectory."""
    trajectory = await artifacts.put(record.trajectory.as_npz(), TRAJECTORY_TYPE)
    return record.result.model_copy(update={"trajectory": trajectory})


def _scene_of(packed: bytes) -> Scene:
    try:
        return Scene.model_validate_json(packed)
    except ValidationError as error:
        raise SceneRejectedError("scene_invalid", f"the scene is malformed at {_first_problem(error)}") from error


def _first_problem(error: ValidationError) -> str:
    """Return path and message of the first validation error."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}"
