"""Sessions of browsers: their beginning and their end."""

from http import HTTPStatus
from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from gateway.http.forms import form_fields
from gateway.http.page_paths import PAGES, RUNS, SIGN_IN, is_page
from gateway.http.sessions import COOKIE, SESSION_S, BrowserSessions
from gateway.pages.page_templates import page

router = APIRouter(include_in_schema=False)


@router.get(SIGN_IN)
async def show_sign_in(request: Request, next: Annotated[str, Query(max_length=2000)] = RUNS) -> Response:  # noqa: A002 - the usual name in an address
    """Ask for a token."""
    return page(request, "sign_in.html", next=next, problem="")


@router.post(SIGN_IN)
async def sign_in(request: Request) -> Response:
    """Open a session for the owner of a token."""
    given = form_fields(await request.body())
    target = given.get("next", RUNS)
    sessions = cast("BrowserSessions", request.app.state.sessions)
    cookie = sessions.open(given.get("token", ""))
    if cookie is None:
        problem = "GATEWAY_TOKENS has no such token: copy it whole, without spaces"
        return page(request, "sign_in.html", HTTPStatus.FORBIDDEN, next=target, problem=problem)
    response = RedirectResponse(_own(target), HTTPStatus.SEE_OTHER)
    is_encrypted = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=SESSION_S, httponly=True, samesite="strict", secure=is_encrypted)
    return response


@router.post(f"{PAGES}/sign-out")
async def sign_out() -> Response:
    """Remove the session from the browser."""
    response = RedirectResponse(SIGN_IN, HTTPStatus.SEE_OTHER)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


def _own(target: str) -> str:
    """Return an address of these pages, whatever the form names."""
    return target if is_page(target) and not target.startswith("//") and "\\" not in target else RUNS
