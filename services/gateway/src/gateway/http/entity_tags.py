"""Entity tags of JSON answers: a client that has the same answer gets 304 and no body."""

import hashlib
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel

JSON = "application/json"
REVALIDATED = "private, no-cache"
"""A cache may keep the answer, and must ask before it uses it."""
TAGGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client has this answer: `If-None-Match` names its tag."}
}
"""For the document of the API."""
_TAG_CHARS = 32


def tagged(request: Request, answer: BaseModel, cache_control: str = REVALIDATED) -> Response:
    """Return the answer as JSON with its entity tag, or 304 if the client has it."""
    return tagged_body(request, answer.model_dump_json().encode(), JSON, cache_control)


def tagged_body(request: Request, body: bytes, media_type: str, cache_control: str = REVALIDATED) -> Response:
    """Return a body with its entity tag, or 304 if the client has it."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:_TAG_CHARS]}"'
    headers = {"ETag": tag, "Cache-Control": cache_control}
    if is_known(request, tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def is_known(request: Request, tag: str) -> bool:
    """Return whether the request's If-None-Match names this entity tag (RFC 9110, section 13.1.2)."""
    given = request.headers.get("if-none-match")
    if given is None:
        return False
    return any(each.strip().removeprefix("W/") in {tag, "*"} for each in given.split(","))
