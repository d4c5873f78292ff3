"""Assets of pages: scripts, styles and pictures of this package, which no other site serves."""

import hashlib
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path, PurePath

from fastapi import APIRouter, Request, Response
from viewer.files import STATIC

from gateway.http.entity_tags import is_known
from gateway.http.page_paths import ASSETS
from gateway.http.problems import UnknownAddressError

router = APIRouter(include_in_schema=False)

FOLDERS = (Path(str(files("gateway.pages") / "assets")), STATIC)
"""The assets of pages, and of the 3D viewer."""
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
IMMUTABLE = "public, max-age=31536000, immutable"
_DIGEST_CHARS = 16


@cache
def _assets() -> dict[str, bytes]:
    return {
        each.name: each.read_bytes() for folder in FOLDERS for each in sorted(folder.iterdir()) if each.suffix in TYPES
    }


@cache
def _digest() -> str:
    """Return the digest of all assets together: scripts import each other by relative addresses."""
    whole = hashlib.sha256()
    for name, content in _assets().items():
        whole.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return whole.hexdigest()[:_DIGEST_CHARS]


def asset_path(name: str) -> str:
    """Return the address of an asset, which changes with any of them; raise `KeyError`."""
    _ = _assets()[name]
    return f"{ASSETS}{_digest()}/{name}"


@router.get(ASSETS + "{digest}/{name}")
async def get_asset(request: Request, digest: str, name: str) -> Response:
    """Return an asset. Its address has the digest, so that a client may keep it for ever."""
    content = _assets().get(name)
    if content is None:
        raise UnknownAddressError(f"there is no asset {name[:80]!r}")
    tag = f'"{hashlib.sha256(content).hexdigest()[:_DIGEST_CHARS]}"'
    headers = {"ETag": tag, "Cache-Control": IMMUTABLE if digest == _digest() else "no-cache"}
    if is_known(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, headers=headers, media_type=TYPES[PurePath(name).suffix])
