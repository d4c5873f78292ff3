"""Sessions of browsers: their beginning and their end."""

from http import HTTPStatus
from math import ceil
from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from gateway.context import Using
from gateway.http.forms import form_fields
from gateway.http.page_paths import PAGES, RUNS, SIGN_IN, is_page
from gateway.http.rate_limit import RateLimit
from gateway.http.sessions import COOKIE, SESSION_S, BrowserSessions, session_cookie
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
    token = sessions.owner_of(given.get("token", ""))
    if token is None:
        return _refused(request, target)
    response = RedirectResponse(_own(target), HTTPStatus.SEE_OTHER)
    cookie = sessions.open(token)
    response.set_cookie(
        COOKIE, cookie, max_age=SESSION_S, httponly=True, samesite="strict", secure=_is_encrypted(request)
    )
    return response


@router.post(f"{PAGES}/sign-out")
async def sign_out(context: Using, request: Request) -> Response:
    """End the session, and remove it from the browser."""
    sessions = cast("BrowserSessions", request.app.state.sessions)
    session = sessions.id_of(session_cookie(request.headers.get("cookie")))
    if session is not None:
        async with context.deadline():
            await context.sign_outs.add(*session)
    response = RedirectResponse(SIGN_IN, HTTPStatus.SEE_OTHER)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_is_encrypted(request))
    return response


def _refused(request: Request, target: str) -> Response:
    """Return the page again. Its address waits after many wrong tokens, but not the owner of a right one."""
    problem, status = "GATEWAY_TOKENS has no such token: copy it whole, without spaces", HTTPStatus.FORBIDDEN
    limit = cast("RateLimit", request.app.state.failed_sign_ins)
    wait_s = limit.wait_s(request.client.host if request.client else "")
    if wait_s:
        problem = f"too many wrong tokens from this address: wait {wait_s:.0f} s (GATEWAY_FAILED_SIGN_INS_PER_MINUTE)"
        status = HTTPStatus.TOO_MANY_REQUESTS
    response = page(request, "sign_in.html", status, next=target, problem=problem)
    if wait_s:
        response.headers["Retry-After"] = str(ceil(wait_s))
    return response


def _is_encrypted(request: Request) -> bool:
    """Return whether the browser speaks TLS with this server or a proxy: it sends the origin as it sees it."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def _own(target: str) -> str:
    """Return an address of these pages, whatever the form names."""
    return target if is_page(target) and not target.startswith("//") and "\\" not in target else RUNS
