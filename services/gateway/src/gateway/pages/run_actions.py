"""What people do with runs: request, continue and cancel, by the operations of the API.

The guard has checked the key of each form and the scope of its sender.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, TypeVar
from uuid import UUID, uuid4

from benchmarks.loader import known
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ValidationError

from gateway.context import CalledBy, RunId, Using
from gateway.http.forms import form_fields
from gateway.http.page_paths import PAGES, RUNS
from gateway.http.problems import ProblemError
from gateway.models import ContinuationBody, RunBody, number_of
from gateway.pages.page_templates import form_page
from gateway.routers.run_requests import cancel_run, continue_run, request_run

router = APIRouter(include_in_schema=False)

NEW = f"{PAGES}/new-run"
RUN = f"{RUNS}/{{run_id}}"
LIMITS = ("max_unit_price_usd", "max_mass_kg", "max_parts")
BUDGET = ("max_steps", "deadline_s", "max_tokens", "max_cost_usd", "max_rejections")
PLAIN = ("benchmark", "model", "executor", "instruction")
NUMBERS = ("seed", "quantity")
B = TypeVar("B", bound=BaseModel)


@router.get(NEW)
async def show_new_run(
    request: Request,
    benchmark: Annotated[str, Query(max_length=200)] = "gravity-chute",
    seed: Annotated[str, Query(max_length=20)] = "0",
) -> Response:
    """Ask what is wanted."""
    return _new_run(request, {"benchmark": benchmark, "seed": seed, "key": str(uuid4())})


@router.post(NEW)
async def request_new_run(context: Using, caller: CalledBy, request: Request) -> Response:
    """Request a run, and show it."""
    given = form_fields(await request.body())
    try:
        body = _body_of(RunBody, given)
        accepted = await request_run(context, caller, Response(), body, key_of(given))
    except ProblemError as problem:
        return _new_run(request, given, problem)
    return _to_run(accepted.run_id)


@router.get(f"{RUN}/act")
async def show_actions(context: Using, request: Request, run_id: RunId) -> Response:
    """Offer to continue a run that has ended, or to cancel one that has not."""
    return await _actions(context, request, run_id, {"key": str(uuid4())})


@router.post(f"{RUN}/continue")
async def continue_with_words(context: Using, caller: CalledBy, request: Request, run_id: RunId) -> Response:
    """Request a run that continues this one, and show it."""
    given = form_fields(await request.body())
    try:
        body = _body_of(ContinuationBody, given)
        accepted = await continue_run(context, caller, Response(), run_id, body, key_of(given))
    except ProblemError as problem:
        return await _actions(context, request, run_id, given, problem)
    return _to_run(accepted.run_id)


@router.post(f"{RUN}/cancel")
async def cancel(context: Using, request: Request, run_id: RunId) -> Response:
    """Request the cancellation of a run, and show it."""
    try:
        await cancel_run(context, Response(), run_id)
    except ProblemError as problem:
        return await _actions(context, request, run_id, {"key": str(uuid4())}, problem)
    return _to_run(run_id)


def _body_of(kind: type[B], given: Mapping[str, str]) -> B:
    """Return the fields of a form as the body of an operation; raise `ProblemError` with the first faults."""
    fields: dict[str, object] = {name: given[name] for name in PLAIN if name in given and name in kind.model_fields}
    fields |= {name: number_of(given[name]) for name in NUMBERS if name in given and name in kind.model_fields}
    fields["limits"] = {name: number_of(given[name]) for name in LIMITS if name in given}
    fields["budget"] = {name: number_of(given[name]) for name in BUDGET if name in given}
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise invalid(error) from error


def invalid(error: ValidationError) -> ProblemError:
    """Return the first faults of a form."""
    faults = "; ".join(f"{each['loc'][-1]}: {each['msg']}" for each in error.errors()[:3])
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, faults, "Invalid request")


def key_of(given: Mapping[str, str]) -> UUID | None:
    """Return the key of one showing of a form, so that sending it twice requests one run."""
    try:
        return UUID(given.get("key", ""))
    except ValueError:
        return None


def _to_run(run_id: UUID) -> Response:
    return RedirectResponse(f"{RUNS}/{run_id}", HTTPStatus.SEE_OTHER)


def _new_run(request: Request, given: Mapping[str, str], problem: ProblemError | None = None) -> Response:
    values = {"benchmarks": known(), "limits": LIMITS, "budget": BUDGET}
    return form_page(request, "act/new_run.html", given, problem, **values)


async def _actions(
    context: Using, request: Request, run_id: UUID, given: Mapping[str, str], problem: ProblemError | None = None
) -> Response:
    async with context.deadline():
        record = await context.record_of(run_id)
    values = {"run": record.summary, "run_id": run_id, "limits": LIMITS, "budget": BUDGET}
    return form_page(request, "act/run.html", given, problem, **values)
