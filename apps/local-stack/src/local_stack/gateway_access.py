"""The token of a local stack's API: other users of the machine must not use it."""

import json
import secrets
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from local_stack.data_folder import create_private, write_private
from local_stack.settings import inherited_environment

TOKENS = "GATEWAY_TOKENS"
FILE = "gateway-token"
_TOKEN_BYTES = 24


def token_file(data: Path) -> Path:
    """Return the file with the token, which only its owner can read; it is made by the first call."""
    path = create_private(data) / FILE
    if not path.exists():
        write_private(path, secrets.token_hex(_TOKEN_BYTES))
    return path


def token_hint(data: Path) -> str:
    """Return where a user finds a token of the API."""
    return f"tokens in {TOKENS}" if TOKENS in inherited_environment() else f"token in {token_file(data)}"


def local_tokens(data: Path) -> str:
    """Return the value of GATEWAY_TOKENS with this token alone, which may do everything."""
    token = token_file(data).read_text("utf-8").strip()
    return json.dumps([{"name": "local", "token": token, "scopes": ["read", "run", "admin"]}])


def sign_in_file(data: Path, url: str, path: str) -> Path | None:
    """Write a page that only its owner can read, and that signs a browser in and leads to a page of the gateway.

    A token in the command line of a browser would be read by all users of the machine. None: the tokens are the user's.
    """
    if TOKENS in inherited_environment():
        return None
    token = token_file(data).read_text("utf-8").strip()
    target = f"{url}/pages/sign-in?{urlencode({'next': path})}#token={token}"
    file = create_private(data) / "open-pages.html"
    write_private(file, f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(target)}">\n')
    return file
