"""Requests of runs: new ones, continuations and cancellations. They publish what a client may publish."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID, uuid4, uuid5

from agent.model.role_model import model_name_problem
from artifacts.port import ArtifactError
from benchmarks.loader import CODE_TYPE
from contracts.events.run import EngineeringRequested
from fastapi import APIRouter, Header, Response
from run_requests.cancellation import cancel_request
from run_requests.continuation import load_earlier_run, store_continuation
from run_requests.errors import RunNotEndedError, RunRequestError, UnknownRunError
from run_requests.request import ContinuationOptions, RunOptions, budget_of, continuation_request, engineering_request

from gateway.context import CalledBy, Context, RunId, Using
from gateway.http.access import Caller
from gateway.http.problems import ProblemError, UnknownAddressError
from gateway.models import ContinuationBody, ForkBody, RunAccepted, RunBody
from gateway.routers.access_rules import RUN
from gateway.routers.benchmarks import load_variant

router = APIRouter(tags=["run requests"], dependencies=RUN, responses={409: {"description": "The run is in the way."}})

PRODUCER = "gateway"
IdempotencyKey = Annotated[
    UUID | None,
    Header(description="Of your choice. A request with the same key is the same run, and the first one counts."),
]


@router.post("/runs", status_code=202)
async def request_run(
    context: Using, caller: CalledBy, response: Response, body: RunBody, idempotency_key: IdempotencyKey = None
) -> RunAccepted:
    """Request a run. It begins when it has a slot."""
    model = _known_model(body.model or context.settings.millwright_model)
    budget = budget_of(body.budget.given())
    options = RunOptions(body.benchmark, body.seed, model, body.quantity, body.limits.limits(), budget, body.executor)
    async with context.patience():
        loaded = await load_variant(body.benchmark, body.seed)
        await context.artifacts.put(loaded.environment_code, CODE_TYPE)
        request = engineering_request(options, loaded, PRODUCER, _run_id(caller, idempotency_key))
        return await _publish(context, request, response)


@router.post("/runs/{run_id}/continue", status_code=202)
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


@router.post("/runs/{run_id}/forks", status_code=202)
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
    """Request the cancellation of a run that has not ended; asking again changes nothing."""
    async with context.deadline():
        record = await context.record_of(run_id)
        if record.end is not None or await context.bus.has_ended(run_id):
            raise ProblemError(HTTPStatus.CONFLICT, f"run {run_id} has ended", "The run has ended")
        await context.bus.publish(cancel_request(record.request, PRODUCER))
    return _accepted(run_id, response)


def _options(run_id: UUID, body: ContinuationBody, after_cell: int | None = None) -> ContinuationOptions:
    return ContinuationOptions(
        run_id,
        body.instruction,
        None if body.model is None else _known_model(body.model),
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
        request = await _continuation(context, options, _run_id(caller, key))
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
    return _accepted(request.run_id, response)


def _accepted(run_id: UUID, response: Response) -> RunAccepted:
    path = f"/runs/{run_id}"
    response.headers["Location"] = path
    response.headers["Cache-Control"] = "no-store"
    return RunAccepted(run_id=run_id, run=path, live=f"{path}/events/live")


def _run_id(caller: Caller, key: UUID | None) -> UUID:
    """Return a new id, or the one that belongs to a caller's key."""
    return uuid4() if key is None else uuid5(key, caller.name)


def _known_model(model: str) -> str:
    problem = model_name_problem(model)
    if problem is not None:
        raise ProblemError(HTTPStatus.CONFLICT, problem, "Unknown model")
    return model
