"""Pages of quotes: a form with a file, and the answer with its parts in 3D."""

from collections.abc import Mapping
from functools import partial
from uuid import uuid4

from contracts.quotes import DrawnParts, FileQuote, QuoteReport
from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from run_report.quotes.page import page_shell, report_page
from run_report.quotes.text import method_name

from gateway.context import CalledBy, RunId, Using
from gateway.http.page_paths import QUOTE, QUOTES
from gateway.http.problems import ProblemError
from gateway.models import QuoteForm
from gateway.pages.page_templates import form_page, page
from gateway.pages.uploads import sent
from gateway.routers.quotes import events_of_quote, request_quote

router = APIRouter(include_in_schema=False)

ASK_AGAIN_S = "2"


@router.get(QUOTE)
async def show_quote_form(context: Using, request: Request) -> Response:
    """Ask for a file of parts, and what is wanted of it."""
    return _form(context, request, {"key": str(uuid4())})


@router.post(QUOTE)
async def quote(context: Using, caller: CalledBy, request: Request) -> Response:
    """Request the quote, and show it."""
    put = partial(request_quote, context, caller, Response())
    return await sent(request, QuoteForm, put, QUOTES, partial(_form, context, request))


@router.get(f"{QUOTES}/{{run_id}}")
async def show_quote(context: Using, request: Request, run_id: RunId) -> Response:
    """Show the answer; until it is there, that it is being made."""
    async with context.deadline():
        requested, completed = await events_of_quote(context, run_id)
        if completed is None:
            response = page(request, "act/quoting.html", name=requested.name)
            response.headers["Refresh"] = ASK_AGAIN_S
            return response
        found = FileQuote.model_validate_json(await context.artifacts.get(completed.quote))
        shown = DrawnParts.model_validate_json(await context.artifacts.get(completed.shown))
    report = QuoteReport(choice=requested.choice, files=(found,), verdict=found.verdict)
    headers = {"Content-Security-Policy": page_shell().policy, "Cache-Control": "no-store"}
    return HTMLResponse(report_page(report, [shown.parts], leave_to=QUOTE), headers=headers)


def _form(context: Using, request: Request, given: Mapping[str, str], problem: ProblemError | None = None) -> Response:
    return form_page(
        request,
        "act/quote.html",
        given,
        problem,
        methods=[(method, method_name(method)) for method in METHODS],
        materials=MATERIALS,
        most_mb=context.settings.gateway_upload_limit_bytes // 1_000_000,
    )
