"""What every request passes before any operation: host, token and scope, rate, size of its body."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.access import SAFE_METHODS, Caller, Callers, require_scope, scope_of
from gateway.http.forms import (
    is_from_another_site,
    require_files,
    require_form_key,
    require_own_page,
    require_upload_key,
)
from gateway.http.page_paths import ASK, ASSETS, OWN_BENCHMARK, QUOTE, SIGN_IN, is_page
from gateway.http.problems import ProblemError, ServersUnavailableError
from gateway.http.rate_limit import RateLimit
from gateway.http.sessions import BrowserSessions, session_cookie
from gateway.settings import is_loopback

PUBLIC_PATHS = frozenset(("/health", "/openapi.json", SIGN_IN))
"""They need no token; nor do assets of pages."""
BODY_TIMEOUT_S = 10.0
"""How long a body may take to arrive."""
UPLOAD_BYTES_PER_S = 32 * 1024
"""A body with files has more time: what it would take at this rate. Who sends less than that is not waited for."""
DISCARD_S = 2.0
UPLOADS = frozenset(("/questions", "/benchmark-archives", "/quotes", ASK, OWN_BENCHMARK, QUOTE))
"""Addresses to which files are sent."""
CALLER = "gateway.caller"
"""Key of the `Caller` in the scope of a request."""
FORM_KEY = "gateway.form_key"
"""Key, in the scope of a request, of what forms of its session must carry."""
ProblemAnswer = Callable[[Scope, ProblemError], ASGIApp]
"""Makes the response of a problem."""
SAFETY: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every response. With `no-referrer`, browsers send forms of these pages with the origin `null`."""


@dataclass(frozen=True)
class BodyLimits:
    """Limits on the body of a request."""

    most_bytes: int
    setting: str
    """Which one raises the bytes."""
    bytes_per_s: float = math.inf
    """Each byte that arrives gives the rest as much time as it takes at this rate."""


@dataclass(frozen=True)
class RequestLimits:
    """Limits on requests."""

    rate: RateLimit
    body: BodyLimits
    upload: BodyLimits
    """Of a request that sends files."""
    uploads_at_once: int
    uploads_per_caller: int


class Guard:
    """An ASGI middleware: deny by default, so that a new operation cannot forget it."""

    def __init__(
        self,
        app: ASGIApp,
        access: Callers,
        sessions: BrowserSessions,
        limits: RequestLimits,
        answer: ProblemAnswer,
    ) -> None:
        self._app = app
        self._access = access
        self._sessions = sessions
        self._limits = limits
        self._answer = answer
        self._uploads = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_SAFETY_HEADERS]
            await send(message)

        try:
            headers = Headers(scope=scope)
            cookie = session_cookie(headers.get("cookie"))
            scope[FORM_KEY] = self._sessions.form_key(cookie)
            scope[CALLER] = self._admit(scope, headers, cookie)
            if _is_upload(scope):
                await self._pass_upload(scope, receive, send_safely, headers)
                return
            body = await _read_body(receive, headers, self._limits.body)
            if scope["path"] != SIGN_IN and _is_form(scope):
                require_form_key(headers, body, scope[FORM_KEY])
        except ProblemError as problem:
            await self._answer(scope, problem)(scope, receive, send_safely)
            return
        await self._app(scope, _replay(body, receive), send_safely)

    async def _pass_upload(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        """Pass a request with files on; raise `ProblemError` when too many are in memory, or for its body."""
        require_files(headers)
        caller = scope[CALLER].name
        self._require_room(caller)
        self._uploads[caller] += 1
        try:
            body = await _read_body(receive, headers, self._limits.upload)
            if _is_form(scope):
                await require_upload_key(headers, body, scope[FORM_KEY])
            await self._app(scope, _replay(body, receive), send)
        finally:
            self._uploads[caller] -= 1
            if not self._uploads[caller]:
                del self._uploads[caller]

    def _require_room(self, caller: str) -> None:
        if self._uploads[caller] >= self._limits.uploads_per_caller:
            detail = (
                f"{caller} has {self._uploads[caller]} requests with files in work: wait for one of them "
                "(GATEWAY_UPLOADS_PER_CALLER)"
            )
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"Retry-After": "5"})
        if self._uploads.total() >= self._limits.uploads_at_once:
            most = f"{self._uploads.total()} requests with files are in work, the most at once"
            detail = f"{most} (GATEWAY_UPLOADS_AT_ONCE)"
            raise ServersUnavailableError(detail)

    def _admit(self, scope: Scope, headers: Headers, cookie: str | None) -> Caller:
        address = (scope.get("client") or ("unknown", 0))[0]
        caller = self._access.caller_of(headers.get("authorization"), address)
        if not caller.scopes and (scope["method"] in SAFE_METHODS or _is_form(scope)):
            token = self._sessions.token_of(cookie)  # the API's own operations take no cookie that changes something
            caller = caller if token is None else Caller.of(token)
        is_sign_in = scope["path"] == SIGN_IN and _is_form(scope)  # the page limits wrong tokens
        if not is_sign_in and (wait_s := self._limits.rate.wait_s(_counted_as(caller, scope["path"]))):
            detail = f"{caller.name} sends too many requests: wait {wait_s:.1f} s (GATEWAY_REQUESTS_PER_MINUTE)"
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, detail, headers={"Retry-After": str(math.ceil(wait_s))})
        if self._access.is_open:
            _require_own_host(headers)
        if _is_form(scope):
            require_own_page(headers)
        if not _is_public(scope["path"]):
            require_scope(caller, scope_of(scope["method"], scope["path"]))
        return caller


_SAFETY_HEADERS = [(name.lower().encode(), value.encode()) for name, value in SAFETY.items()]


def _is_public(path: str) -> bool:
    return path in PUBLIC_PATHS or path.startswith(ASSETS)


def _counted_as(caller: Caller, path: str) -> str:
    """Return whose rate a request counts for: what needs no token stays open to the neighbours of who lacks one."""
    return f"{caller.name}, public" if not caller.scopes and _is_public(path) else caller.name


def _is_form(scope: Scope) -> bool:
    return is_page(scope["path"]) and scope["method"] not in SAFE_METHODS


def _is_upload(scope: Scope) -> bool:
    return scope["method"] == "POST" and scope["path"] in UPLOADS


def _require_own_host(headers: Headers) -> None:
    """Without tokens, refuse what a page of another site can send through a browser on this machine.

    Such a page has another origin, or, by a name that it lets point here, another host.
    """
    host = headers.get("host", "")
    if not is_loopback(_host_of(f"//{host}")):
        detail = f"the host is {host[:80]!r}: without GATEWAY_TOKENS only 127.0.0.1, [::1] and localhost are served"
        raise ProblemError(HTTPStatus.MISDIRECTED_REQUEST, detail)
    if headers.get("origin") is not None and is_from_another_site(headers):
        raise ProblemError(HTTPStatus.FORBIDDEN, "without GATEWAY_TOKENS pages of other sites are refused")


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


async def _read_body(receive: Receive, headers: Headers, limits: BodyLimits) -> bytes:
    """Return the whole body; raise `ProblemError` for one that is too large, too slow or cut off."""
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limits.most_bytes:
        await _discard(receive)
        raise _too_large(limits)
    parts: list[bytes] = []
    size = 0
    began_s = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S) as deadline:
            while (message := await receive())["type"] == "http.request":
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                deadline.reschedule(began_s + BODY_TIMEOUT_S + size / limits.bytes_per_s)
                if size > limits.most_bytes:
                    await _discard(receive)
                    raise _too_large(limits)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError as error:
        took_s = asyncio.get_running_loop().time() - began_s
        detail = f"only {size} bytes of the body arrived in {took_s:.0f} s: send it faster, or send less"
        raise ProblemError(HTTPStatus.REQUEST_TIMEOUT, detail, headers={"Connection": "close"}) from error
    raise ProblemError(HTTPStatus.BAD_REQUEST, "the client left before its body was complete")


async def _discard(receive: Receive) -> None:
    """Read on for a moment, and keep nothing: a client that sends reads no answer, and sees a reset instead."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_S):
            while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
                pass


def _too_large(limits: BodyLimits) -> ProblemError:
    detail = f"the body is larger than {limits.most_bytes} bytes ({limits.setting})"
    return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, headers={"Connection": "close"})


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a channel that gives the body once more, and then what the server sends."""
    pending = [body]

    async def receive_again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return receive_again
