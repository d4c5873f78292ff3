"""The API as an ASGI application: its operations, and what its errors become."""

from http import HTTPStatus
from typing import Any

from artifacts.port import ArtifactsUnavailableError
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Scope
from store.errors import DatabaseOutageError

from gateway.context import Context
from gateway.http.access import Callers
from gateway.http.guard import UPLOAD_BYTES_PER_S, BodyLimits, Guard, RequestLimits
from gateway.http.page_paths import is_page
from gateway.http.problems import CONTENT, ProblemDetails, ProblemError, ServersUnavailableError
from gateway.http.rate_limit import RateLimit
from gateway.http.sessions import BrowserSessions
from gateway.models import ArchiveForm, QuestionForm, QuoteForm
from gateway.pages import ROUTERS as PAGES
from gateway.pages.problem_page import page_of_problem
from gateway.routers import (
    artifacts,
    backups,
    benchmarks,
    events,
    health,
    questions,
    quotes,
    run_files,
    run_requests,
    runs,
    skills,
)

ROUTERS = (
    runs.router,
    run_files.router,
    events.router,
    run_requests.router,
    questions.router,
    quotes.router,
    artifacts.router,
    benchmarks.router,
    skills.router,
    backups.router,
    health.router,
)
VERSION = "1.0.0"
MAX_FAULTS = 10
"""Named in one answer."""
_PROBLEMS = {
    400: "The cursor, or the request itself, is malformed.",
    401: "The request has no valid token.",
    403: "The token lacks the scope.",
    404: "What the address names does not exist.",
    408: "The body did not arrive in time.",
    409: "What the address names, or the model's name, does not permit this.",
    413: "The body is too large.",
    422: "A parameter or a field is invalid.",
    429: "Too many requests.",
    502: "A stored artifact is damaged or lost.",
    503: "A server behind the API does not answer, or too many event streams are open.",
}


class _Operations(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """Return the document with the schema of problems, which the framework cannot know."""
        if self.openapi_schema is None:
            document = super().openapi()
            document["components"]["schemas"]["ProblemDetails"] = ProblemDetails.model_json_schema()
            for operations in document["paths"].values():
                for parameter in (
                    each for operation in operations.values() for each in operation.get("parameters", ())
                ):
                    parameter["schema"] = _without_null(parameter["schema"])
            for form in (ArchiveForm, QuestionForm, QuoteForm):
                fields = document["components"]["schemas"][form.__name__]["properties"]
                fields.update({name: _without_null(schema) for name, schema in fields.items()})
        return super().openapi()


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter or a form's field: there, nothing can be null."""
    if {"type": "null"} not in schema.get("anyOf", ()):
        return schema
    (given,) = (each for each in schema["anyOf"] if each != {"type": "null"})
    return {**given, **{name: value for name, value in schema.items() if name != "anyOf"}}


def make_operations() -> FastAPI:
    """Return the operations without what they work with; for their document."""
    api = _Operations(
        title="Millwright",
        version=VERSION,
        description="Runs, their events and artifacts, questions, benchmarks, skills and backups. See docs/api.md.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        responses={status: {"description": text, "content": CONTENT} for status, text in _PROBLEMS.items()},
    )
    for router in (*ROUTERS, *PAGES):
        api.include_router(router)
    api.add_exception_handler(ProblemError, _problem)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _http_error)
    for outage in (DatabaseOutageError, ArtifactsUnavailableError, TimeoutError):
        api.add_exception_handler(outage, _outage)
    api.add_exception_handler(Exception, _surprise)
    return api


def make_api(context: Context) -> ASGIApp:
    """Return the whole API and its pages behind their guard."""
    api = make_operations()
    settings = context.settings
    sessions = BrowserSessions(settings.gateway_tokens, context.sign_outs)
    api.state.context = context
    api.state.sessions = sessions
    api.state.failed_sign_ins = RateLimit(settings.gateway_failed_sign_ins_per_minute)
    limits = RequestLimits(
        RateLimit(settings.gateway_requests_per_minute),
        BodyLimits(settings.gateway_body_limit_bytes, "GATEWAY_BODY_LIMIT_BYTES"),
        BodyLimits(settings.gateway_upload_limit_bytes, "GATEWAY_UPLOAD_LIMIT_BYTES", UPLOAD_BYTES_PER_S),
        settings.gateway_uploads_at_once,
        settings.gateway_uploads_per_caller,
    )
    return Guard(api, Callers(settings.gateway_tokens), sessions, limits, _answer)


def _answer(scope: Scope, problem: ProblemError) -> Response:
    """Return a problem as a page where people look, else as JSON."""
    return page_of_problem(Request(scope), problem) if is_page(scope["path"]) else problem.response()


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return _answer(request.scope, error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [f"{'.'.join(map(str, each['loc']))[:200]}: {each['msg'][:300]}" for each in error.errors()[:MAX_FAULTS]]
    problem = ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(faults), "Invalid request")
    return _answer(request.scope, problem)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    detail = f"{error.detail}: GET /openapi.json lists all operations"
    headers = dict(error.headers or {})
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(sorted(_methods_at(request)))
    return _answer(request.scope, ProblemError(status, detail, headers=headers))


def _methods_at(request: Request) -> set[str]:
    """Return the methods of an address: each operation is a route of its own, which knows its own method only."""
    path = request.scope["path"]
    found: set[str] = set()
    for router in (*ROUTERS, *PAGES):
        for route in router.routes:
            if isinstance(route, APIRoute) and route.path_regex.fullmatch(path):
                found |= route.methods or set()
    return found


async def _outage(request: Request, error: Exception) -> Response:
    reason = str(error) or "a server behind the API did not answer in time"
    return _answer(request.scope, ServersUnavailableError(reason))


async def _surprise(request: Request, error: Exception) -> Response:
    """The server logs the error itself, with its traceback."""
    detail = f"the gateway failed ({type(error).__name__}): its log has the reason"
    return _answer(request.scope, ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, detail))
