"""Forms with files: a run of the visitor's own benchmark, by the operation of the API."""

from collections.abc import Mapping
from http import HTTPStatus
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from starlette.datastructures import FormData

from gateway.context import CalledBy, Using
from gateway.http.page_paths import OWN_BENCHMARK
from gateway.http.problems import ProblemError
from gateway.models import ArchiveForm
from gateway.pages.page_templates import page
from gateway.pages.run_actions import BUDGET, LIMITS, invalid, key_of, to_run
from gateway.routers.run_requests import request_run_of_archive

router = APIRouter(include_in_schema=False)


@router.get(OWN_BENCHMARK)
async def show_own_benchmark(request: Request) -> Response:
    """Ask for an archive, and what is wanted of its run."""
    return _own_benchmark(request, {"key": str(uuid4())})


@router.post(OWN_BENCHMARK)
async def run_own_benchmark(context: Using, caller: CalledBy, request: Request) -> Response:
    """Request a run of the archive, and show it."""
    async with request.form() as form:
        given = _texts_in(form)
        try:
            sent = _filled(form, ArchiveForm.model_fields)
            accepted = await request_run_of_archive(
                context, caller, Response(), ArchiveForm.model_validate(sent), key_of(given)
            )
        except ValidationError as error:
            return _own_benchmark(request, given, invalid(error))
        except ProblemError as problem:
            return _own_benchmark(request, given, problem)
    return to_run(accepted.run_id)


def _texts_in(form: FormData) -> dict[str, str]:
    return {name: value for name, value in form.multi_items() if isinstance(value, str)}


def _filled(form: FormData, names: Mapping[str, object]) -> dict[str, object]:
    """Return what a visitor filled in or chose, of the fields that the operation knows."""
    return {name: value for name, value in form.multi_items() if name in names and value and value != ""}


def _own_benchmark(request: Request, given: Mapping[str, str], problem: ProblemError | None = None) -> Response:
    status = HTTPStatus.OK if problem is None else problem.status
    values = {"given": given, "limits": LIMITS, "budget": BUDGET}
    return page(request, "act/own_benchmark.html", status, problem="" if problem is None else str(problem), **values)
