"""Job that runs a user's build123d script, and returns the parts that it builds as data."""

import builtins
import sys
import traceback
import types
from collections.abc import Iterable, Iterator
from typing import Any, cast

from build123d import BuildPart
from build123d.topology import Shape
from contracts.settings import COMMAND
from design_rules.design_data import DesignData
from kernel.baked import utils  # noqa: F401  # pyright: ignore[reportUnusedImport] - a confined process cannot load it

from cad_worker.capture.design import capture_parts
from cad_worker.job_protocol import NotADesignError, PartScript, PartScriptResult
from cad_worker.utils_geometry.kernel_shapes import provide_utils

RESULTS = ("assembly", "part", "result")
"""Variables that hold what a script builds, the first that exists; without one, the last solid that it binds."""
MESSAGE_CHARS = 500
WORLD = ("environment", "benchmark")
"""Variables of a design that only a benchmark's kernel has."""
_SHOWN = (
    "show",
    "show_all",
    "show_clear",
    "show_object",
    "reset_show",
    "set_defaults",
    "set_port",
    "set_viewer_config",
)
"""Functions of viewers that scripts call; they do nothing here."""


def run_part_script(request: PartScript) -> PartScriptResult:
    """Run the script and return what it builds. The host trusts only the geometry of the reply."""
    provide_utils()
    _provide_viewers()
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": request.file}
    try:
        exec(compile(request.code, request.file, "exec"), namespace)  # noqa: S102 - in a confined child that exists for this text alone
        return PartScriptResult(design=_built(namespace))
    except NotADesignError as error:
        return PartScriptResult(problem=str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a script may raise anything
        return PartScriptResult(problem=_located(request, error))


def _built(namespace: dict[str, Any]) -> DesignData:
    named = [namespace[name] for name in RESULTS if namespace.get(name) is not None]
    candidates = named or [value for name, value in namespace.items() if not name.startswith("_")][::-1]
    for value in candidates:
        shapes = list(_shapes(value))
        if shapes and (named or any(shape.solids() for shape in shapes)):
            return DesignData(parts=tuple(part for shape in shapes for part in capture_parts(shape).parts))
    raise NotADesignError(f"builds no solid; bind it to one of {', '.join(RESULTS)}")


def _shapes(value: object) -> Iterator[Shape[Any]]:
    if isinstance(value, BuildPart):
        if value.part is not None:
            yield value.part
    elif isinstance(value, Shape):
        yield cast("Shape[Any]", value)
    elif isinstance(value, list | tuple):
        for each in cast("Iterable[object]", value):
            yield from _shapes(each)


def _provide_viewers() -> None:
    """Let scripts import and call the functions of their viewers."""
    viewer = types.ModuleType("ocp_vscode")
    for name in _SHOWN:
        setattr(viewer, name, _show_nothing)
    sys.modules["ocp_vscode"] = viewer
    builtins.__dict__["show_object"] = _show_nothing


def _show_nothing(*_shown: object, **_options: object) -> None:
    """Stand for every function of a viewer."""


def _located(request: PartScript, error: BaseException) -> str:
    """Return the exception's message with the innermost line of the script."""
    message = f"{type(error).__name__}: {error}"[:MESSAGE_CHARS]
    if isinstance(error, NameError) and error.name in WORLD:
        remedy = f"judge it with `{COMMAND} try BENCHMARK {request.file}`, whose bill has its prices"
        message = f"it is a design for a benchmark, and a quote has no `{error.name}`; {remedy}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == request.file]
    line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    return f"fails: {message}" if line is None else f"fails in line {line}: {message}"
