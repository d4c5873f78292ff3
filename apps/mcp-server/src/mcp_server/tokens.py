"""Bearer tokens of clients over HTTP: a file with the name and the digest of each."""

import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

from mcp.server.auth.provider import AccessToken

LOCAL_CLIENT = "local"
"""Who uses the server over stdio."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class TokenError(ValueError):
    """A token cannot be created; the message says why."""


class TokenFile:
    """Verifies tokens. Names that are added or removed while a server runs count at once."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def create(self, name: str) -> str:
        """Return a new token for a client, which is not stored itself; raise `TokenError`."""
        if not _NAME.fullmatch(name) or name == LOCAL_CLIENT:
            raise TokenError(f"{name!r} cannot be the name of a client: take a-z, 0-9 and -, such as laptop")
        if name in self.names():
            raise TokenError(f"{name} has a token already; to replace it, remove its line from {self._file}")
        token = secrets.token_urlsafe(32)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as file:
            file.write(f"{name} {_digest(token)}\n")
        return token

    def names(self) -> list[str]:
        """Return the names of the clients that have a token."""
        return list(self._digests())

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the client of a token; None: it is unknown."""
        given = _digest(token)
        found = [name for name, digest in self._digests().items() if hmac.compare_digest(digest, given)]
        return AccessToken(token=token, client_id=found[0], scopes=[]) if found else None

    def _digests(self) -> dict[str, str]:
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        pairs = [line.split() for line in lines if line.strip() and not line.startswith("#")]
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
