"""Templates of pages. Every value is escaped: models, kernels and users may have written any text."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from contracts.settings import COMMAND
from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from store.runs import RunSummary
from viewer.drawings import drawing_svg
from viewer.markup import code_html, markdown_html

from gateway.http.access import Caller
from gateway.http.entity_tags import tagged_body
from gateway.http.forms import KEY_FIELD
from gateway.http.guard import CALLER, FORM_KEY
from gateway.http.page_paths import PAGES, RUNS
from gateway.http.problems import ProblemError
from gateway.pages.assets import asset_path

HTML = "text/html; charset=utf-8"
POLICY = "; ".join((
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self'",
    "connect-src 'self' blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
))  # fmt: skip
"""Content-Security-Policy: nothing inline runs, and nothing of another site is loaded."""
MARKS = {"success": "✓", "failure": "✗", "info": "•", "detail": "·"}

UNITS = {"usd": "USD", "kg": "kg", "s": "s"}


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("gateway.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared: dict[str, Any] = {
        "asset": asset_path,
        "command": COMMAND,
        "marks": MARKS,
        "key_field": KEY_FIELD,
        "pages": PAGES,
        "runs_path": RUNS,
    }
    found.globals.update(shared)
    found.filters |= {"clock": clock, "moment": moment, "words": _words, "query": urlencode, "shown": _shown}
    found.filters |= {"code": _code, "markdown": _markdown, "cost": _cost, "quantity": _quantity, "svg": drawing_svg}
    return found


def fragment(template: str, **values: object) -> str:
    """Return a part of a page."""
    return _environment().get_template(template).render(**values)


def page(request: Request, template: str, status: HTTPStatus = HTTPStatus.OK, /, **values: object) -> HTMLResponse:
    """Return a whole page for the caller."""
    caller = request.scope.get(CALLER)
    may_run = isinstance(caller, Caller) and "run" in caller.scopes
    is_signed_in = isinstance(caller, Caller) and caller.name.startswith("token ")
    form_key = request.scope.get(FORM_KEY, "")
    notice = _disk_problem(request) if isinstance(caller, Caller) and "read" in caller.scopes else None
    text = fragment(
        template,
        path=request.url.path,
        may_run=may_run,
        is_signed_in=is_signed_in,
        form_key=form_key,
        notice=notice,
        **values,
    )
    return HTMLResponse(text, status, headers={"Content-Security-Policy": POLICY, "Cache-Control": "no-store"})


def form_page(
    request: Request, template: str, given: Mapping[str, str], problem: ProblemError | None, /, **values: object
) -> Response:
    """Return a form's page, filled in, with what was wrong with it."""
    status = HTTPStatus.OK if problem is None else problem.status
    return page(request, template, status, problem="" if problem is None else str(problem), given=given, **values)


def _disk_problem(request: Request) -> str | None:
    """Return what is wrong with the servers' disks; None for a page that is refused before the API has it."""
    api = request.scope.get("app")
    return None if api is None else api.state.context.disk.problem()


def tagged_fragment(request: Request, template: str, **values: object) -> Response:
    """Return a part of a page with its entity tag, or 304 if the client has it."""
    response = tagged_body(request, fragment(template, **values).encode(), HTML)
    response.headers["Content-Security-Policy"] = POLICY
    return response


def clock(time: datetime) -> str:
    """Return the time of the day, in UTC."""
    return f"{time.astimezone(UTC):%H:%M:%S}"


def moment(time: datetime) -> str:
    """Return day and time in UTC, which every time that the database has can be shown in."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _words(code: str) -> str:
    return code.replace("_", " ")


def _quantity(name: str) -> str:
    """Return the name of a field in words, with its unit behind a comma."""
    words, _, last = name.rpartition("_")
    return f"{_words(words)}, {UNITS[last]}" if last in UNITS else _words(name)


def _shown(text: str) -> str:
    """Return text in which control characters are visible."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else f"\\x{ord(letter):02x}" for letter in text)


def _code(text: str) -> Markup:
    return code_html(_shown(text))


def _markdown(text: str) -> Markup:
    return markdown_html(_shown(text))


def _cost(run: RunSummary) -> str:
    """Return what the model calls of a run cost, as far as prices are known."""
    known = f"{run.cost_usd:.2f} USD"
    return f"{known} and {run.unpriced_calls} calls at unknown prices" if run.unpriced_calls else known
