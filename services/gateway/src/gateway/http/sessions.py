"""Sessions of browsers: a cookie that stands for a token, and the keys of forms.

A session is not stored: the cookie is signed with its token, so that it outlives the process and ends with the token.
Only sessions that ended by signing out are.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie

from gateway.settings import ApiToken

COOKIE = "millwright_session"
SESSION_S = 12 * 3600
_MAX_COOKIE_CHARS = 4096
_ID_BYTES = 16


class BrowserSessions:
    """Opens and reads sessions."""

    def __init__(
        self, tokens: Sequence[ApiToken], ended: Container[str], clock: Callable[[], float] = time.time
    ) -> None:
        """`ended`: ids of sessions that are no longer valid."""
        self._tokens = {each.name: each for each in tokens}
        self._ended = ended
        self._clock = clock
        self._own_key = secrets.token_bytes(32)

    def owner_of(self, token: str) -> ApiToken | None:
        """Return the token with these characters; None if there is none."""
        given = token.strip().encode("utf-8", "surrogateescape")
        return next((each for each in self._tokens.values() if hmac.compare_digest(_secret(each), given)), None)

    def open(self, token: ApiToken) -> str:
        """Return the cookie of a new session."""
        name = base64.urlsafe_b64encode(token.name.encode()).decode()
        expires = str(int(self._clock()) + SESSION_S)
        session_id = secrets.token_urlsafe(_ID_BYTES)
        return f"{name}.{expires}.{session_id}.{_signed(_secret(token), f'session {name} {expires} {session_id}')}"

    def id_of(self, cookie: str | None) -> tuple[str, datetime] | None:
        """Return the id of a valid session, and when it expires; None if the cookie is not that of one."""
        if cookie is None or self.token_of(cookie) is None:
            return None
        _, expires, session_id, _ = cookie.split(".")
        return session_id, datetime.fromtimestamp(int(expires), UTC)

    def token_of(self, cookie: str | None) -> ApiToken | None:
        """Return the token that a session stands for; None if the cookie is not that of a valid one."""
        parts = (cookie or "").split(".")
        if len(parts) != 4:
            return None
        name, expires, session_id, signature = parts
        try:
            token = self._tokens.get(base64.urlsafe_b64decode(name).decode())
        except (binascii.Error, ValueError):
            return None
        if token is None or not expires.isdecimal() or int(expires[:18]) < self._clock() or session_id in self._ended:
            return None
        expected = _signed(_secret(token), f"session {name} {expires} {session_id}")
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
