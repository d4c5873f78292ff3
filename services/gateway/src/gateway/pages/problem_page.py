"""Problems as pages."""

from http import HTTPStatus
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import URL

from gateway.http.access import SAFE_METHODS
from gateway.http.page_paths import RUNS, SIGN_IN
from gateway.http.problems import ProblemError
from gateway.pages.page_templates import page


def page_of_problem(request: Request, problem: ProblemError) -> Response:
    """Return a page that states the problem; without a session, lead to that where one begins."""
    if problem.status is HTTPStatus.UNAUTHORIZED:
        shown = request.url if request.method in SAFE_METHODS else URL(request.headers.get("referer", RUNS))
        target = shown.path + (f"?{shown.query}" if shown.query else "")
        return RedirectResponse(f"{SIGN_IN}?{urlencode({'next': target})}", HTTPStatus.SEE_OTHER)
    response = page(request, "problem.html", problem.status, title=problem.title, detail=str(problem))
    response.headers.update({name: value for name, value in problem.headers.items() if name != "WWW-Authenticate"})
    return response
