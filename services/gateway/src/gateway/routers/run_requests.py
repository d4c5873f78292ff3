"""Requests of runs: new ones, continuations and cancellations. They publish what a client may publish."""

import asyncio
from http import HTTPStatus
from typing import Annotated, Literal
from uuid import UUID, uuid4, uuid5

from agent.model.role_model import model_name_problem
from artifacts.port import ArtifactError
from benchmarks.archive import unpack_bytes
from benchmarks.loader import CODE_TYPE, BenchmarkError, BenchmarkTooLargeError, LoadedBenchmark, load_files
from benchmarks.regular_file import MAX_TOTAL_BYTES
from contracts.events.run import EngineeringRequested
from fastapi import APIRouter, Form, Header, Response
from run_requests.cancellation import cancel_request
from run_requests.continuation import load_earlier_run, store_continuation
from run_requests.errors import RunNotEndedError, RunRequestError, UnknownRunError
from run_requests.request import ContinuationOptions, RunOptions, budget_of, continuation_request, engineering_request

from gateway.context import CalledBy, Context, RunId, Using
from gateway.http.access import Caller
from gateway.http.problems import ProblemError, UnknownAddressError, UnusableUploadError
from gateway.models import ArchiveForm, ContinuationBody, ForkBody, RunAccepted, RunBody
from gateway.routers.access_rules import RUN
from gateway.routers.benchmarks import load_variant
from gateway.routers.descriptions import UPLOAD_RESPONSES, accepted_with_links, files_of

router = APIRouter(tags=["run requests"], dependencies=RUN)

PRODUCER = "gateway"
ZIP, GZIP = b"PK", b"\x1f\x8b"
"""How archives begin."""
LINKS = accepted_with_links("get_run", "list_events", "list_run_artifacts", "cancel_run")
ARCHIVE_TYPES = "application/gzip, application/zip"
IdempotencyKey = Annotated[
    UUID | None,
    Header(description="Of your choice. A request with the same key is the same run, and the first one counts."),
]


@router.post("/runs", status_code=202, responses=LINKS)
async def request_run(
    context: Using, caller: CalledBy, response: Response, body: RunBody, idempotency_key: IdempotencyKey = None
) -> RunAccepted:
    """Request a run. It begins when it has a slot."""
    model = known_model(body.model or context.settings.millwright_model)
    budget = budget_of(body.budget.given())
    options = RunOptions(body.benchmark, body.seed, model, body.quantity, body.limits.limits(), budget, body.executor)
    async with context.patience():
        loaded = await load_variant(body.benchmark, body.seed)
        await context.artifacts.put(loaded.environment_code, CODE_TYPE)
        request = engineering_request(options, loaded, PRODUCER, requested_id(caller, idempotency_key))
        return await _publish(context, request, response)


@router.post(
    "/benchmark-archives",
    status_code=202,
    responses=UPLOAD_RESPONSES | LINKS,
    openapi_extra=files_of(archive=ARCHIVE_TYPES),
)
async def request_run_of_archive(
    context: Using,
    caller: CalledBy,
    response: Response,
    form: Annotated[ArchiveForm, Form(media_type="multipart/form-data")],
    idempotency_key: IdempotencyKey = None,
) -> RunAccepted:
    """Request a run of a benchmark that is sent as an archive, checked as strictly as a folder on disk."""
    model = known_model(form.model or context.settings.millwright_model)
    loaded = await _loaded(await form.archive.read(MAX_TOTAL_BYTES + 1), form.seed)
    name = loaded.variant.benchmark
    options = RunOptions(name, form.seed, model, form.quantity, form.limits(), budget_of(form.given()), form.executor)
    async with context.patience():
        await context.artifacts.put(loaded.environment_code, CODE_TYPE)
        request = engineering_request(options, loaded, PRODUCER, requested_id(caller, idempotency_key))
        return await _publish(context, request, response)


@router.post("/runs/{run_id}/continue", status_code=202, responses=LINKS)
async def continue_run(  # noqa: PLR0913, PLR0917 - the parts of the request
    context: Using,
    caller: CalledBy,
    response: Response,
    run_id: RunId,
    body: ContinuationBody,
    idempotency_key: IdempotencyKey = None,
) -> RunAccepted:
    """Request a run that starts with the files and the journal of one that has ended."""
    return await _continue(context, caller, response, _options(run_id, body), idempotency_key)


@router.post("/runs/{run_id}/forks", status_code=202, responses=LINKS)
async def fork_run(  # noqa: PLR0913, PLR0917 - the parts of the request
    context: Using,
    caller: CalledBy,
    response: Response,
    run_id: RunId,
    body: ForkBody,
    idempotency_key: IdempotencyKey = None,
) -> RunAccepted:
    """Request a run that goes on from a cell of this one, as the files and the journal were after it."""
    return await _continue(context, caller, response, _options(run_id, body, body.cell), idempotency_key)


@router.post("/runs/{run_id}/cancel", status_code=202)
async def cancel_run(context: Using, response: Response, run_id: RunId) -> RunAccepted:
    """Request the cancellation of a run of any kind that has not ended; asking again changes nothing."""
    async with context.deadline():
        opening = await context.opening_of(run_id)
        if await context.end_of(run_id) is not None or await context.bus.has_ended(run_id):
            raise ProblemError(HTTPStatus.CONFLICT, f"run {run_id} has ended", "The run has ended")
        await context.bus.publish(cancel_request(opening, PRODUCER))
    return accepted(run_id, response)


async def _loaded(packed: bytes, seed: int) -> LoadedBenchmark:
    """Return the benchmark in an archive; raise `ProblemError`."""
    where = "the archive"
    if not packed.startswith((ZIP, GZIP)):
        raise UnusableUploadError(f"{where} is neither a .zip nor a .tar.gz", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)

    def load() -> LoadedBenchmark:
        return load_files(unpack_bytes(f"{where}.zip" if packed.startswith(ZIP) else where, packed), seed, where)

    try:
        return await asyncio.to_thread(load)
    except BenchmarkTooLargeError as error:
        raise UnusableUploadError(str(error), HTTPStatus.REQUEST_ENTITY_TOO_LARGE) from error
    except BenchmarkError as error:
        raise UnusableUploadError(str(error)) from error


def _options(run_id: UUID, body: ContinuationBody, after_cell: int | None = None) -> ContinuationOptions:
    return ContinuationOptions(
        run_id,
        body.instruction,
        None if body.model is None else known_model(body.model),
        body.quantity,
        body.limits.limits(),
        body.budget.given(),
        body.executor,
        after_cell,
    )


async def _continue(
    context: Context, caller: Caller, response: Response, options: ContinuationOptions, key: UUID | None
) -> RunAccepted:
    async with context.deadline():
        request = await _continuation(context, options, requested_id(caller, key))
        return await _publish(context, request, response)


async def _continuation(context: Context, options: ContinuationOptions, run_id: UUID) -> EngineeringRequested:
    try:
        earlier = await load_earlier_run(options.run_id, options.after_cell, context.log, context.artifacts)
        continuation, _ = await store_continuation(earlier, options.instruction, context.artifacts)
    except UnknownRunError as error:
        raise UnknownAddressError(f"there is no run {options.run_id}: GET /runs lists all runs") from error
    except RunNotEndedError as error:
        detail = f"run {options.run_id} has not ended: wait for its end, or POST /runs/{options.run_id}/cancel"
        raise ProblemError(HTTPStatus.CONFLICT, detail, "The run has not ended") from error
    except (RunRequestError, ArtifactError) as error:
        raise ProblemError(HTTPStatus.CONFLICT, str(error), "The run cannot be continued") from error
    return continuation_request(options, earlier.request, continuation, PRODUCER, run_id)


async def _publish(context: Context, request: EngineeringRequested, response: Response) -> RunAccepted:
    try:
        await context.bus.publish(request)
    except ArtifactError as error:
        raise ProblemError(HTTPStatus.CONFLICT, str(error), "A file of the run is lost") from error
    return accepted(request.run_id, response)


def accepted(run_id: UUID, response: Response, kind: Literal["runs", "questions", "quotes"] = "runs") -> RunAccepted:
    """Return where the run is."""
    path = f"/{kind}/{run_id}"
    response.headers["Location"] = path
    response.headers["Cache-Control"] = "no-store"
    return RunAccepted(run_id=run_id, run=path, live=f"/runs/{run_id}/events/live")


def requested_id(caller: Caller, key: UUID | None, of: Literal["run", "question", "quote"] = "run") -> UUID:
    """Return a new id, or the one that belongs to a caller's key for this kind of request."""
    if key is None:
        return uuid4()
    return uuid5(key, caller.name if of == "run" else f"{of} of {caller.name}")


def known_model(model: str) -> str:
    """Return the name of a model; raise `ProblemError` for one that this gateway does not know."""
    problem = model_name_problem(model)
    if problem is not None:
        raise ProblemError(HTTPStatus.CONFLICT, problem, "Unknown model")
    return model
