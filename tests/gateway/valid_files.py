# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false, reportMissingTypeArgument=false
# schemathesis leaves its type parameters open
"""Hooks of schemathesis: a request that should be accepted carries files that can be used, and archives are bytes.

No schema describes which bytes are a picture or an archive, so those that schemathesis makes up are neither.
"""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any, cast

import schemathesis
from benchmarks.archive import files_of, pack
from schemathesis.transport.serialization import Binary

from tests.gateway.files.media import image, video

SUITE_BENCHMARK = Path(__file__).parents[2] / "libs/benchmarks/src/benchmarks/suite/gravity-chute"


@cache
def _valid() -> dict[str, Binary]:
    with tempfile.TemporaryDirectory() as folder:
        film = video(Path(folder) / "film.mp4", frames=6)
    archive = pack("mine", files_of(SUITE_BENCHMARK), ".zip")
    return {"archive": Binary(archive), "images": Binary(image(24, 16)), "video": Binary(film)}


@schemathesis.serializer("application/gzip", "application/zip")
def _bytes(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """Send what stands for an archive as it is."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def filter_body(context: schemathesis.HookContext, body: Any) -> bool:
    """Leave out files that are null: in a form, that is a file with these four letters."""
    if not isinstance(body, dict):
        return True
    given = cast("dict[str, Any]", body)
    return not any(name in given and given[name] is None for name in ("file", *_valid()))


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """Replace the files of a request that is valid otherwise."""
    given: Any = case.body
    if case.meta is None or not case.meta.generation.mode.is_positive or not isinstance(given, dict):
        return
    if case.media_type == "multipart/form-data":
        body = cast("dict[str, Any]", given)
        for name in _valid().keys() & body.keys():
            file = _valid()[name]
            body = {**body, name: [file] * len(body[name]) if isinstance(body[name], list) else file}
        case.body = cast("Any", body)
        # else the case counts as one with an invalid body: no validator reads bytes
        case._record_starting_state()  # pyright: ignore[reportPrivateUsage]
