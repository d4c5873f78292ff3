"""Artifacts that events name: whole, or a range of their bytes."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from hashlib import sha256 as new_sha256
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote

from artifacts.client import Artifacts
from artifacts.port import ArtifactCorruptError, ArtifactError
from contracts.models.artifact import ArtifactRef, Sha256
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from gateway.context import Using
from gateway.http.byte_ranges import ByteRange, UnsatisfiableRangeError, requested_range
from gateway.http.entity_tags import is_known
from gateway.http.problems import ProblemError, UnknownAddressError
from gateway.routers.access_rules import READ

router = APIRouter(tags=["artifacts"], dependencies=READ)

PART_BYTES = 1 << 20
"""Read from S3, and held in memory, at once."""
VERIFIED_BYTES = 8 << 20
"""An artifact up to this size is verified before a range of it is sent."""
IMMUTABLE = "private, max-age=31536000, immutable"
FILE_NAME = r'^[^\x00-\x20"./\\\x7f-][^\x00-\x20"/\\\x7f]*$'
"""Means the same in Python and in JSON schema, where `\\w` does not."""
MAX_NAME_CHARS = 240
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,60}")
_SHOWN = re.compile(r"image/(png|jpeg|webp|gif)|video/(mp4|webm)|text/(plain|markdown|csv)|application/json")
"""What a browser may show; it saves the rest, since what agents export could be a page with a script."""
SAFETY = {"Content-Security-Policy": "sandbox; default-src 'none'"}


def content_disposition(disposition: str, name: str) -> str:
    """Return the header for a file name, whose letters may be of any script (RFC 6266)."""
    if name.isascii():
        return f'{disposition}; filename="{name}"'
    return f"{disposition}; filename*=UTF-8''{quote(name)}"


@dataclass(frozen=True)
class _Blob:
    sha256: Sha256
    size_bytes: int
    media_type: str
    name: str
    """Of the file that a browser saves."""

    @property
    def tag(self) -> str:
        return f'"{self.sha256}"'

    def headers(self) -> dict[str, str]:
        disposition = "inline" if _SHOWN.fullmatch(self.media_type) else "attachment"
        return {
            "ETag": self.tag,
            "Cache-Control": IMMUTABLE,
            "Accept-Ranges": "bytes",
            "Content-Disposition": content_disposition(disposition, self.name),
            **SAFETY,
        }


@router.get(
    "/artifacts/{sha256}",
    response_class=Response,
    responses={
        200: {"description": "All bytes.", "content": {"*/*": {}}},
        206: {"description": "The range of `Range`.", "content": {"*/*": {}}},
        304: {"description": "The client has it: `If-None-Match` names its digest."},
        416: {"description": "`Range` begins beyond the end."},
    },
)
async def get_artifact(
    context: Using,
    request: Request,
    sha256: Annotated[Sha256, Path(description="Digest of the artifact.")],
    name: Annotated[
        str | None,
        Query(pattern=FILE_NAME, max_length=MAX_NAME_CHARS, description="Name of the file that a browser saves."),
    ] = None,
) -> Response:
    """Return the bytes of an artifact that an event names. It never changes."""
    async with context.deadline():
        media_type = await context.log.artifact_type(sha256)
        if media_type is None:
            raise UnknownAddressError(f"no event names an artifact {sha256}")
        size_bytes = await context.artifacts.stored_size(sha256)
        if size_bytes is None:
            raise UnknownAddressError(f"the artifact {sha256} is named by an event, but the store does not have it")
        kind = media_type if _MEDIA_TYPE.fullmatch(media_type) else "application/octet-stream"
        blob = _Blob(sha256, size_bytes, kind, name or sha256[:16])
        if is_known(request, blob.tag):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=blob.headers())
        wanted = _range_of(request, blob)
        if size_bytes <= VERIFIED_BYTES:
            return _response(blob, wanted, await _verified(context.artifacts, blob))
        await _require_readable(context.artifacts, blob, wanted)
    return _streamed(blob, wanted, context.artifacts)


def _range_of(request: Request, blob: _Blob) -> ByteRange | None:
    """Return the range of the request, None for all bytes; raise `ProblemError`."""
    condition = request.headers.get("if-range")
    if condition is not None and condition.strip() != blob.tag:
        return None
    try:
        return requested_range(request.headers.get("range"), blob.size_bytes)
    except UnsatisfiableRangeError as error:
        headers = {"Content-Range": f"bytes */{blob.size_bytes}"}
        raise ProblemError(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, str(error), headers=headers) from error


async def _verified(artifacts: Artifacts, blob: _Blob) -> bytes:
    ref = ArtifactRef(sha256=blob.sha256, media_type=blob.media_type, size_bytes=blob.size_bytes)
    try:
        return await artifacts.get(ref)
    except ArtifactError as error:
        raise unusable(error) from error


async def _require_readable(artifacts: Artifacts, blob: _Blob, wanted: ByteRange | None) -> None:
    """Read the first byte before the status is sent; damage further on cuts the answer."""
    try:
        await artifacts.get_part(blob.sha256, wanted.first if wanted else 0, 1)
    except ArtifactError as error:
        raise unusable(error) from error


def unusable(error: ArtifactError) -> ProblemError:
    """Return the answer for an artifact that is damaged or lost; it names the digest."""
    return ProblemError(HTTPStatus.BAD_GATEWAY, str(error), "The stored artifact cannot be used")


def _response(blob: _Blob, wanted: ByteRange | None, data: bytes) -> Response:
    if wanted is None:
        return Response(data, headers=blob.headers(), media_type=blob.media_type)
    headers = {**blob.headers(), "Content-Range": wanted.header(blob.size_bytes)}
    part = data[wanted.first : wanted.last + 1]
    return Response(part, HTTPStatus.PARTIAL_CONTENT, headers, blob.media_type)


def _streamed(blob: _Blob, wanted: ByteRange | None, artifacts: Artifacts) -> Response:
    headers = blob.headers()
    if wanted is None:
        headers["Content-Length"] = str(blob.size_bytes)
        return StreamingResponse(_whole(artifacts, blob), headers=headers, media_type=blob.media_type)
    headers |= {"Content-Length": str(wanted.length), "Content-Range": wanted.header(blob.size_bytes)}
    parts = _parts(artifacts, blob.sha256, wanted)
    return StreamingResponse(parts, HTTPStatus.PARTIAL_CONTENT, headers, blob.media_type)


async def _whole(artifacts: Artifacts, blob: _Blob) -> AsyncIterator[bytes]:
    """Yield all parts, the last one only if all together have the digest: else the client sees a cut answer."""
    digest = new_sha256()
    held = b""
    async for part in _parts(artifacts, blob.sha256, ByteRange(0, blob.size_bytes - 1)):
        if held:
            yield held
        digest.update(part)
        held = part
    if digest.hexdigest() != blob.sha256:
        ref = ArtifactRef(sha256=blob.sha256, media_type=blob.media_type, size_bytes=blob.size_bytes)
        raise ArtifactCorruptError(ref, digest.hexdigest())
    yield held


async def _parts(artifacts: Artifacts, sha256: Sha256, wanted: ByteRange) -> AsyncIterator[bytes]:
    for offset in range(wanted.first, wanted.last + 1, PART_BYTES):
        yield await artifacts.get_part(sha256, offset, min(PART_BYTES, wanted.last + 1 - offset))
