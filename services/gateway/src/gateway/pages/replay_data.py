"""What the 3D view of a page shows: scene and trajectory by their addresses, facts of parts, and moments."""

import asyncio

from artifacts.port import ArtifactError
from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.scene import Scene
from fastapi import APIRouter, Request, Response
from run_report.replays import Simulation
from viewer.data import ShownFinding, ShownMoment, ShownPart, shown_data

from gateway.context import Context, RunId, Using
from gateway.http.entity_tags import tagged
from gateway.http.page_paths import RUNS
from gateway.http.problems import UnknownAddressError
from gateway.pages.run_page import MOST_SIMULATIONS
from gateway.pages.views.simulations import TYPES, shown_simulations
from gateway.routers.artifacts import unusable

router = APIRouter(include_in_schema=False)


class ReplayData(Model):
    """The data of the viewer; the names are its own."""

    sceneUrl: str  # noqa: N815
    trajectoryUrl: str | None  # noqa: N815
    parts: tuple[ShownPart, ...]
    moments: tuple[ShownMoment, ...]
    findings: tuple[ShownFinding, ...]


@router.get(f"{RUNS}/{{run_id}}/simulations/{{cursor}}")
async def get_replay(context: Using, request: Request, run_id: RunId, cursor: str) -> Response:
    """Return the data of one simulation, which its result names."""
    async with context.deadline():
        events = await context.log.page_of(run_id, None, MOST_SIMULATIONS, TYPES)
        found = next((each.simulation for each in shown_simulations(events) if each.cursor == cursor), None)
        if found is None:
            raise UnknownAddressError(f"run {run_id} has no such simulation: open the run without it")
        scene = await _scene(context, found.scene)
    return tagged(request, _data(found, scene))


async def _scene(context: Context, ref: ArtifactRef) -> Scene:
    try:
        body = await context.artifacts.get(ref)
    except ArtifactError as error:
        raise unusable(error) from error
    return await asyncio.to_thread(Scene.model_validate_json, body)


def _data(found: Simulation, scene: Scene) -> ReplayData:
    shown = shown_data(scene, found.result, found.bill, found.findings)
    trajectory = None if found.trajectory is None else f"/artifacts/{found.trajectory.sha256}"
    return ReplayData(
        sceneUrl=f"/artifacts/{found.scene.sha256}",
        trajectoryUrl=trajectory,
        parts=shown.parts,
        moments=shown.moments,
        findings=shown.findings,
    )
