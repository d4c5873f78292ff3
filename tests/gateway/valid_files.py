# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false, reportMissingTypeArgument=false
# schemathesis leaves its type parameters open
"""Hooks of schemathesis: a request that should be accepted carries files that can be used.

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
