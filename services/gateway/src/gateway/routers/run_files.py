"""The files of a run: their list, each of them, and all as one zip."""

from typing import Annotated
from urllib.parse import quote

from chassis.stream.large_fields import artifacts_in
from contracts.model import Model
from contracts.models.artifact import Sha256
from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse
from pydantic import Field

from gateway.context import RunId, Using
from gateway.http.entity_tags import TAGGED, tagged
from gateway.http.problems import UnknownAddressError
from gateway.models import EventName
from gateway.routers.access_rules import READ
from gateway.routers.artifacts import SAFETY, content_disposition
from gateway.run_files import RunFiles, written_type

router = APIRouter(tags=["runs"], dependencies=READ)

FILE_PATH = r"^[^/\\]+(/[^/\\]+)?$"
MAX_PATH_CHARS = 300


class RunFile(Model):
    """A file of a run."""

    path: str
    """In the zip, and behind `/runs/{run_id}/files/`."""
    media_type: str
    size_bytes: int | None
    """null: it is written when it is fetched."""


class RunFilesAnswer(Model):
    """The files of a run: of its delivered design, else of its last valid one; of a question or a benchmark its own."""

    name: str
    """What the names of saved files begin with."""
    files: tuple[RunFile, ...] = Field(default=())


class RunArtifact(Model):
    """An artifact that events of a run name."""

    path: str
    """Where it is: `/artifacts/{sha256}`."""
    sha256: Sha256
    media_type: str
    size_bytes: int
    event: EventName
    """The class of the first event that names it."""


class RunArtifactsAnswer(Model):
    """All artifacts of a run, in the order of the events that name them first."""

    artifacts: tuple[RunArtifact, ...]


@router.get("/runs/{run_id}/artifacts", response_model=RunArtifactsAnswer, responses=TAGGED)
async def list_run_artifacts(context: Using, request: Request, run_id: RunId) -> Response:
    """Return all artifacts that recorded events of a run of any kind name."""
    async with context.deadline():
        events = await context.log.events_of(run_id)
        if not events:
            await context.opening_of(run_id)
    found: dict[Sha256, RunArtifact] = {}
    for event in events:
        for ref in artifacts_in(event):
            path = f"/artifacts/{ref.sha256}"
            named = RunArtifact(
                path=path, sha256=ref.sha256, media_type=ref.media_type, size_bytes=ref.size_bytes, event=event.type
            )
            found.setdefault(ref.sha256, named)
    return tagged(request, RunArtifactsAnswer(artifacts=tuple(found.values())))


@router.get("/runs/{run_id}/files", response_model=RunFilesAnswer, responses=TAGGED)
async def list_run_files(context: Using, request: Request, run_id: RunId) -> Response:
    """Return the list of a run's files."""
    async with context.deadline():
        found = await RunFiles.of(context, run_id)
    written = [RunFile(path=path, media_type=written_type(path), size_bytes=None) for path in found.written]
    stored = [
        RunFile(path=path, media_type=ref.media_type, size_bytes=ref.size_bytes) for path, ref in found.stored.items()
    ]
    return tagged(request, RunFilesAnswer(name=found.name, files=(*written, *stored)))


@router.get(
    "/runs/{run_id}/files.zip",
    response_class=Response,
    responses={200: {"description": "All files as one zip.", "content": {"application/zip": {}}}},
)
async def get_run_files(context: Using, run_id: RunId) -> Response:
    """Return all files of a run as one zip."""
    async with context.deadline():
        found = await RunFiles.of(context, run_id)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}.zip"', "Cache-Control": "no-store", **SAFETY}
    return StreamingResponse(found.zipped(context), headers=headers, media_type="application/zip")


@router.get(
    "/runs/{run_id}/files/{path:path}",
    response_class=Response,
    responses={
        200: {"description": "A file that is written from the run's events.", "content": {"*/*": {}}},
        307: {"description": "The file is an artifact: its address, with the name to save it under."},
    },
)
async def get_run_file(
    context: Using,
    run_id: RunId,
    path: Annotated[str, Path(pattern=FILE_PATH, max_length=MAX_PATH_CHARS, description="Path of the file.")],
) -> Response:
    """Return one file of a run."""
    async with context.deadline():
        found = await RunFiles.of(context, run_id)
        if path in found.stored:
            address = f"/artifacts/{found.stored[path].sha256}?name={quote(found.saved_as(path))}"
            return RedirectResponse(address, headers={"Cache-Control": "no-store"})
        if path not in found.written:
            raise UnknownAddressError(f"run {run_id} has no file {path!r}: GET /runs/{run_id}/files lists all")
        data = await found.write(context, path)
    headers = {
        "Content-Disposition": content_disposition("attachment", found.saved_as(path)),
        "Cache-Control": "no-store",
    }
    return Response(data, headers={**headers, **SAFETY}, media_type=written_type(path))
