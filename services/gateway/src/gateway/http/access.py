"""Who may do what: bearer tokens and their scopes."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from gateway.http.problems import ProblemError
from gateway.settings import ApiToken, Scope

SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
BACKUPS = "/backups"
ALL_SCOPES: frozenset[Scope] = frozenset(("read", "run", "admin"))


@dataclass(frozen=True)
class Caller:
    """Who sends a request."""

    name: str
    """For limits and logs: of its token, or its address."""
    scopes: frozenset[Scope]

    @classmethod
    def of(cls, token: ApiToken) -> "Caller":
        """Return the caller that has this token."""
        return cls(f"token {token.name}", token.scopes)


class Callers:
    """Finds the caller of a request. Without tokens every caller may do everything."""

    def __init__(self, tokens: Sequence[ApiToken]) -> None:
        self._tokens = [(_digest(each.token.get_secret_value()), each) for each in tokens]

    @property
    def is_open(self) -> bool:
        """Whether no token is needed."""
        return not self._tokens

    def caller_of(self, authorization: str | None, address: str) -> Caller:
        """Return the caller; one without a valid token may do nothing."""
        if self.is_open:
            return Caller(f"address {address}", ALL_SCOPES)
        scheme, _, token = (authorization or "").partition(" ")
        given = _digest(token.strip())
        known = [each for digest, each in self._tokens if hmac.compare_digest(digest, given)]
        if scheme.lower() != "bearer" or not known:
            return Caller(f"address {address}", frozenset())
        return Caller.of(known[0])


def scope_of(method: str, path: str) -> Scope:
    """Return the scope that a request needs."""
    if method in SAFE_METHODS:
        return "read"
    return "admin" if path == BACKUPS or path.startswith(f"{BACKUPS}/") else "run"


def require_scope(caller: Caller, scope: Scope) -> None:
    """Raise `ProblemError` unless the caller may do this."""
    if scope in caller.scopes:
        return
    if not caller.scopes and caller.name.startswith("address "):
        detail = "send a token of GATEWAY_TOKENS: `Authorization: Bearer TOKEN`"
        raise ProblemError(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": 'Bearer realm="millwright"'})
    detail = f"{caller.name} lacks the scope {scope}: add it in GATEWAY_TOKENS, or use another token"
    challenge = f'Bearer realm="millwright", error="insufficient_scope", scope="{scope}"'
    raise ProblemError(HTTPStatus.FORBIDDEN, detail, headers={"WWW-Authenticate": challenge})


def _digest(token: str) -> bytes:
    """Return bytes of one length, so that a comparison takes the same time for every token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
