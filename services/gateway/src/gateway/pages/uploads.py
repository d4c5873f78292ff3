"""Forms with files: a run of the visitor's own benchmark, and a question, by the operations of the API."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import TypeVar, get_args
from uuid import UUID, uuid4

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ValidationError
from run_requests.question import Expected
from starlette.datastructures import FormData, UploadFile

from gateway.context import CalledBy, Using
from gateway.http.page_paths import ASK, OWN_BENCHMARK, RUNS
from gateway.http.problems import ProblemError
from gateway.models import ArchiveForm, QuestionForm, QuoteForm, RunAccepted
from gateway.pages.page_templates import form_page
from gateway.pages.run_actions import BUDGET, LIMITS, invalid, key_of
from gateway.routers.questions import ask_question
from gateway.routers.run_requests import request_run_of_archive

router = APIRouter(include_in_schema=False)

LISTS: Mapping[type[BaseModel], tuple[str, ...]] = {
    QuestionForm: ("images", "choice"),
    QuoteForm: ("method", "material", "quantity"),
}
"""Fields of a form that may be there several times; of the others, the last value counts."""
SPLIT = {"choices": ("choice", "\n"), "quantities": ("quantity", ",")}
"""Texts that have several values: the field of each, and what is between them."""
F = TypeVar("F", bound=BaseModel)
Shown = Callable[[Mapping[str, str], ProblemError | None], Response]
"""Returns a form's page, filled in, with what was wrong with it."""


@router.get(OWN_BENCHMARK)
async def show_own_benchmark(request: Request) -> Response:
    """Ask for an archive, and what is wanted of its run."""
    return _own_benchmark(request, {"key": str(uuid4())})


@router.post(OWN_BENCHMARK)
async def run_own_benchmark(context: Using, caller: CalledBy, request: Request) -> Response:
    """Request a run of the archive, and show it."""
    put = partial(request_run_of_archive, context, caller, Response())
    return await sent(request, ArchiveForm, put, RUNS, partial(_own_benchmark, request))


@router.get(ASK)
async def show_question_form(context: Using, request: Request) -> Response:
    """Ask for a question with its images or its video."""
    return _question(context, request, {"key": str(uuid4())})


@router.post(ASK)
async def ask(context: Using, caller: CalledBy, request: Request) -> Response:
    """Ask the question, and show its run."""
    put = partial(ask_question, context, caller, Response())
    return await sent(request, QuestionForm, put, RUNS, partial(_question, context, request))


async def sent(
    request: Request, kind: type[F], put: Callable[[F, UUID | None], Awaitable[RunAccepted]], pages: str, shown: Shown
) -> Response:
    """Read a form, request the run that it asks for and lead to its page; else show the form again."""
    async with request.form() as form:
        given = {name: value for name, value in form.multi_items() if isinstance(value, str)}
        try:
            accepted = await put(kind.model_validate(_filled(form, kind)), key_of(given))
        except ValidationError as error:
            return shown(given, invalid(error))
        except ProblemError as problem:
            return shown(given, problem)
    return RedirectResponse(f"{pages}/{accepted.run_id}", HTTPStatus.SEE_OTHER)


def _filled(form: FormData, kind: type[BaseModel]) -> dict[str, object]:
    """Return what a visitor filled in or chose; a browser sends a field without a file as a file without a name."""
    items = form.multi_items()
    for text, (name, between) in SPLIT.items():
        items += [(name, each.strip()) for each in str(form.get(text, "")).split(between)]
    found: dict[str, list[UploadFile | str]] = {}
    for name, value in items:
        if name in kind.model_fields and (value.filename if isinstance(value, UploadFile) else value):
            found.setdefault(name, []).append(value)
    return {name: values if name in LISTS.get(kind, ()) else values[-1] for name, values in found.items()}


def _own_benchmark(request: Request, given: Mapping[str, str], problem: ProblemError | None = None) -> Response:
    return form_page(request, "act/own_benchmark.html", given, problem, limits=LIMITS, budget=BUDGET)


def _question(
    context: Using, request: Request, given: Mapping[str, str], problem: ProblemError | None = None
) -> Response:
    most_mb = context.settings.gateway_upload_limit_bytes // 1_000_000
    return form_page(request, "act/ask.html", given, problem, expectations=get_args(Expected), most_mb=most_mb)
