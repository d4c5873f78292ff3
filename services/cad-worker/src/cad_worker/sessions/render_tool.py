"""`show()` of what a kernel cannot draw itself: sim-worker draws it, from data that a clean child has made."""

from collections.abc import Awaitable, Callable
from textwrap import shorten

from artifacts.documents import put_json
from artifacts.port import ArtifactStore
from contracts.envelope import Event, Request
from contracts.events.rendering import Meshes, RenderCompleted, RenderFailed, RenderRequested
from contracts.events.session import CellRequested
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.models.artifact import ArtifactRef
from sandbox.jobs import JobFailedError

from cad_worker.host import KernelHost
from cad_worker.job_protocol import MESH, MeshedDesign
from cad_worker.session_protocol import ShowAnswer, ShowResultCall, ShowShapesCall
from cad_worker.sessions.images import ImageStore

MAX_SCENES = 20
"""Remembered, for the pictures of their simulations."""
VERDICT_CHARS = 78
"""In front of a label."""
GONE = "the simulator gave this request up; try again"


class RenderTool:
    """Has things drawn for one session's cells, and keeps the pictures in its album."""

    def __init__(
        self,
        host: KernelHost,
        artifacts: ArtifactStore,
        ask: Callable[[Request], Awaitable[Event]],
        album: ImageStore,
    ) -> None:
        self._host = host
        self._artifacts = artifacts
        self._ask = ask
        self._album = album
        self._scenes: dict[str, ArtifactRef] = {}

    def remember(self, trajectory_digest: str, scene: ArtifactRef) -> None:
        """Keep the scene that behaved so."""
        self._scenes[trajectory_digest] = scene
        for oldest in list(self._scenes)[:-MAX_SCENES]:
            del self._scenes[oldest]

    async def answer(self, shown: ShowShapesCall | ShowResultCall, cell: CellRequested, ordinal: int) -> ShowAnswer:
        """Draw what is to be shown."""
        if isinstance(shown, ShowShapesCall):
            return await self.shapes(shown, cell, ordinal)
        return await self.result(shown, cell, ordinal)

    async def shapes(self, shown: ShowShapesCall, cell: CellRequested, ordinal: int) -> ShowAnswer:
        """Draw geometry."""
        if problem := self._album.problem():
            return ShowAnswer(note=problem)
        try:
            meshed = await self._host.run_job(MESH, shown.design)
        except JobFailedError as error:
            return ShowAnswer(problem=f"the geometry could not be read: {error}")
        if not meshed.meshes:
            return ShowAnswer(problem=_without_volume(meshed))
        meshes = await put_json(self._artifacts, Meshes(meshes=meshed.meshes))
        request = RenderRequested.during(cell, f"show {ordinal}", "cad-worker", meshes=meshes)
        match await self._ask(request):
            case RenderCompleted(picture=picture):
                return await self._kept(picture, f"{shown.label}, {_size(meshed)}, {' '.join(request.views)}")
            case RenderFailed(reason=reason, detail=detail):
                return ShowAnswer(problem=f"it could not be drawn ({reason}): {detail}")
            case _:
                return ShowAnswer(problem=GONE)

    async def result(self, shown: ShowResultCall, cell: CellRequested, ordinal: int) -> ShowAnswer:
        """Have the run filmed and keep its moments in one picture, the verdict in front."""
        if problem := self._album.problem():
            return ShowAnswer(note=problem)
        scene = self._scenes.get(shown.trajectory_digest)
        if scene is None:
            return ShowAnswer(problem="what was simulated then is not remembered; simulate() it again and show that")
        wanted = {"scene": scene, "trajectory_digest": shown.trajectory_digest, "window_s": shown.window_s}
        request = FilmRequested.during(cell, f"show {ordinal}", "cad-worker", **wanted)
        match await self._ask(request):
            case FilmCompleted(summary_md=summary, media=media):
                picture = media.contact_sheet or media.poster
                return await self._kept(picture, shown.label, _verdict(summary))
            case FilmFailed(reason=reason, detail=detail):
                return ShowAnswer(problem=f"the run could not be filmed ({reason}): {detail}")
            case _:
                return ShowAnswer(problem=GONE)

    async def _kept(self, picture: ArtifactRef, label: str, verdict: str = "") -> ShowAnswer:
        return ShowAnswer(note=await self._album.add(await self._artifacts.get(picture), label, verdict))


def _verdict(summary_md: str) -> str:
    """Return the first line of a summary, unadorned: it stands in front of the picture wherever it is seen."""
    first = summary_md.strip().partition("\n")[0].replace("*", "").replace("`", "'")
    return shorten(first, VERDICT_CHARS, placeholder="…")


def _size(meshed: MeshedDesign) -> str:
    return " x ".join(f"{edge:.4g}" for edge in meshed.size_mm) + " mm"


def _without_volume(meshed: MeshedDesign) -> str:
    if meshed.flat:
        return f"there are {meshed.flat} faces, edges or points in it, and no solid; extrude them, or plot them"
    return "there is no solid in it"
