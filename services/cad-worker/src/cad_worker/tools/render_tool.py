"""The tool behind `show()` of geometry and simulations: sim-worker renders data that a clean child has prepared."""

from collections.abc import Awaitable, Callable
from textwrap import shorten

from artifacts.port import ArtifactStore, put_json
from contracts.envelope import Event, Request, during
from contracts.events.rendering import Meshes, RenderCompleted, RenderFailed, RenderRequested
from contracts.events.session import CellRequested
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.simulation import Media
from kernel_host.protocol import ShowAnswer
from kernel_host.sessions.images import ImageStore
from kernel_host.tools.job_time import JobTime
from sandbox.jobs import JobFailedError

from cad_worker.host import KernelHost
from cad_worker.job_protocol import MESH, MeshedDesign
from cad_worker.session_protocol import ShowResultCall, ShowShapesCall

MAX_SCENES = 20
"""Kept for images of their simulations."""
VERDICT_CHARS = 78
"""Of the verdict in a label."""
VIEWS_LABEL = "top front right"
GEOMETRY_SHOWS = (
    "Two views to a row, each with its name: iso in perspective, the others at right angles over a grid in world "
    "coordinates. front: x right, z up; right: y right, z up; top: x right, y up. Colours are those of the materials."
)
ABANDONED = "the simulator gave this request up; try again"


class RenderTool:
    """Requests images for the cells of one session, and stores them."""

    def __init__(
        self,
        host: KernelHost,
        artifacts: ArtifactStore,
        ask: Callable[[Request], Awaitable[Event]],
        images: ImageStore,
        job_time: JobTime,
    ) -> None:
        self._host = host
        self._artifacts = artifacts
        self._ask = ask
        self._images = images
        self._job_time = job_time
        self._scenes: dict[str, ArtifactRef] = {}
        """By the digest of the trajectory that they had."""

    def add_scene(self, trajectory_digest: str, scene: ArtifactRef) -> None:
        """Keep the scene of a simulation, so that the simulation can be shown."""
        self._scenes[trajectory_digest] = scene
        for oldest in list(self._scenes)[:-MAX_SCENES]:
            del self._scenes[oldest]

    async def show_shapes(self, call: ShowShapesCall, cell: CellRequested, ordinal: int) -> ShowAnswer:
        """Show an image of geometry from several directions."""
        if problem := self._images.problem():
            return ShowAnswer(note=problem)
        try:
            meshed = await self._host.run_job(MESH, call.design, self._job_time.add)
        except JobFailedError as error:
            return ShowAnswer(problem=f"the geometry could not be read: {error}")
        if not meshed.meshes:
            return ShowAnswer(problem=_without_volume(meshed))
        meshes = await put_json(self._artifacts, Meshes(meshes=meshed.meshes))
        request = RenderRequested(**during(cell, f"show {ordinal}", "cad-worker"), meshes=meshes)
        match await self._ask(request):
            case RenderCompleted(picture=picture):
                label = f"{call.label}, {_size(meshed)}, {' '.join(request.views)}"
                return await self._store(picture, label, shows=GEOMETRY_SHOWS)
            case RenderFailed(reason=reason, detail=detail):
                return ShowAnswer(problem=f"it could not be drawn ({reason}): {detail}")
            case _:
                return ShowAnswer(problem=ABANDONED)

    async def show_result(self, call: ShowResultCall, cell: CellRequested, ordinal: int) -> ShowAnswer:
        """Show a simulation in two images: its moments, with the verdict in the label, and the views with its path."""
        if problem := self._images.problem():
            return ShowAnswer(note=problem)
        scene = self._scenes.get(call.trajectory_digest)
        if scene is None:
            return ShowAnswer(
                problem="the scene of this simulation is no longer kept; simulate() it again and show that"
            )
        request = FilmRequested(
            **during(cell, f"show {ordinal}", "cad-worker"),
            scene=scene,
            trajectory_digest=call.trajectory_digest,
            window_s=call.window_s,
        )
        match await self._ask(request):
            case FilmCompleted(summary_md=summary, media=media):
                return await self._show_media(media, call.label, _verdict(summary))
            case FilmFailed(reason=reason, detail=detail):
                return ShowAnswer(problem=f"the run could not be filmed ({reason}): {detail}")
            case _:
                return ShowAnswer(problem=ABANDONED)

    async def _show_media(self, media: Media, label: str, verdict: str) -> ShowAnswer:
        shown = await self._store(media.contact_sheet or media.poster, label, verdict, media.contact_sheet_show)
        if media.views is None or shown.note:
            return shown
        return await self._store(media.views, f"{label}, {VIEWS_LABEL}", "", media.views_show)

    async def _store(self, picture: ArtifactRef, label: str, verdict: str = "", shows: str = "") -> ShowAnswer:
        return ShowAnswer(note=await self._images.add(await self._artifacts.get(picture), label, verdict, shows))


def _verdict(summary_md: str) -> str:
    """Return the first line of a summary without Markdown."""
    first = summary_md.strip().partition("\n")[0].replace("*", "").replace("`", "'")
    return shorten(first, VERDICT_CHARS, placeholder="…")


def _size(meshed: MeshedDesign) -> str:
    return " x ".join(f"{edge:.4g}" for edge in meshed.size_mm) + " mm"


def _without_volume(meshed: MeshedDesign) -> str:
    if meshed.flat:
        return f"there are {meshed.flat} faces, edges or points in it, and no solid; extrude them, or plot them"
    return "it contains no solid"
