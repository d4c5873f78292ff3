"""Sessions of browsers: a cookie that stands for a token, and the keys of forms.

A session is not stored: the cookie is signed with its token, so that it outlives the process and ends with the token.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from http.cookies import CookieError, SimpleCookie

from gateway.settings import ApiToken

COOKIE = "millwright_session"
SESSION_S = 12 * 3600
_MAX_COOKIE_CHARS = 4096


class BrowserSessions:
    """Opens and reads sessions."""

    def __init__(self, tokens: Sequence[ApiToken], clock: Callable[[], float] = time.time) -> None:
        self._tokens = {each.name: each for each in tokens}
        self._clock = clock
        self._own_key = secrets.token_bytes(32)

    def open(self, token: str) -> str | None:
        """Return the cookie of a new session; None if there is no such token."""
        given = token.strip().encode("utf-8", "surrogateescape")
        found = [each for each in self._tokens.values() if hmac.compare_digest(_secret(each), given)]
        if not found:
            return None
        name = base64.urlsafe_b64encode(found[0].name.encode()).decode()
        expires = str(int(self._clock()) + SESSION_S)
        return f"{name}.{expires}.{_signed(_secret(found[0]), f'session {name} {expires}')}"

    def token_of(self, cookie: str | None) -> ApiToken | None:
        """Return the token that a session stands for; None if the cookie is not that of a session, or has expired."""
        name, _, rest = (cookie or "").partition(".")
        expires, _, signature = rest.partition(".")
        try:
            token = self._tokens.get(base64.urlsafe_b64decode(name).decode())
        except (binascii.Error, ValueError):
            return None
        if token is None or not expires.isdecimal() or int(expires[:18]) < self._clock():
            return None
        expected = _signed(_secret(token), f"session {name} {expires}")
        return token if hmac.compare_digest(expected, signature) else None

    def form_key(self, cookie: str | None) -> str:
        """Return the key that forms of this session carry; without tokens one of this process."""
        token = self.token_of(cookie)
        return _signed(self._own_key if token is None else _secret(token), f"form {cookie if token else ''}")


def session_cookie(header: str | None) -> str | None:
    """Return the session's cookie of a Cookie header."""
    if header is None or len(header) > _MAX_COOKIE_CHARS:
        return None
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _secret(token: ApiToken) -> bytes:
    return token.token.get_secret_value().encode("utf-8", "surrogateescape")


def _signed(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode("utf-8", "surrogateescape"), hashlib.sha256).hexdigest()
