"""The environment script of a benchmark: runs the untrusted `build(variant)` and reads the solids that it returns.

For each payload that is a solid, it also runs `payload(variant)`, which returns that solid around the origin; of
several payloads, `variant.payload` is then the one that is asked for.
"""

import re
import traceback
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from contracts.models.benchmark import Payload, Variant
from contracts.models.geometry import Vector
from design_rules.bodies.payload_shape import UnfitPayloadError, hull_corners
from design_rules.bodies.solid_bodies import EnvironmentSolid
from design_rules.design_data import DesignData, PartData
from design_rules.rules.manufacturability import MAX_PARTS
from design_rules.rules.world import EnvironmentFaultyError
from geometry.single_solid import InvalidSolidError, read_single_solid
from parts_catalog.materials import MATERIALS, Material

from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import NotADesignError
from cad_worker.utils_geometry.kernel_shapes import provide_utils

FILE = "environment.py"
MESSAGE_CHARS = 500
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
CONTRACT = (
    "environment.py must define build(variant) and return a build123d Compound whose children are labelled solids"
)
PAYLOAD_CONTRACT = (
    "a payload is a solid, so environment.py must define payload(variant) and return one convex build123d Solid, "
    "with the middle of the box around it at the origin"
)


class ScriptFailedError(ValueError):
    """The script built nothing that could be checked."""

    def __init__(self, reason: Literal["code_failed", "not_build123d"], problem: str) -> None:
        super().__init__(problem)
        self.reason: Literal["code_failed", "not_build123d"] = reason


def run_environment(code: str, variant: Variant) -> tuple[DesignData, tuple[PartData | None, ...]]:
    """Run `build(variant)`, and `payload(variant)` for each payload that is a solid; return their results as data.

    Raises `ScriptFailedError`.
    """
    provide_utils()
    namespace: dict[str, object] = {"__name__": "environment", "__file__": FILE}
    with _faults_of(code):
        exec(compile(code, FILE, "exec"), namespace)  # noqa: S102 - in a confined child that exists for this text alone
    design = _called(code, namespace, "build", variant, CONTRACT)
    payloads = [_built_payload(code, namespace, payload, variant) for payload in variant.payloads]
    return design, tuple(payloads)


def _built_payload(code: str, namespace: Mapping[str, object], payload: Payload, variant: Variant) -> PartData | None:
    if payload.shape != "solid":
        return None
    others = tuple(each for each in variant.payloads if each.label != payload.label)
    asked = variant.model_copy(update={"payload": payload, "more_payloads": others})
    built = _called(code, namespace, "payload", asked, PAYLOAD_CONTRACT)
    if len(built.parts) != 1:
        raise ScriptFailedError("not_build123d", f"payload returned {len(built.parts)} shapes; {PAYLOAD_CONTRACT}")
    return built.parts[0]


def payload_hulls(parts: Sequence[PartData | None], variant: Variant) -> tuple[tuple[Vector, ...], ...]:
    """Return the corners of each payload that the script built, empty for others; raise `EnvironmentFaultyError`."""
    built = parts or (None,) * len(variant.payloads)
    if len(built) != len(variant.payloads):
        raise EnvironmentFaultyError("not_build123d", PAYLOAD_CONTRACT)
    return tuple(_corners(part, payload) for part, payload in zip(built, variant.payloads, strict=True))


def _corners(part: PartData | None, payload: Payload) -> tuple[Vector, ...]:
    if payload.shape != "solid":
        return ()
    if part is None:
        raise EnvironmentFaultyError("not_build123d", PAYLOAD_CONTRACT)
    try:
        return hull_corners(read_single_solid(part.brep), payload)
    except (InvalidSolidError, UnfitPayloadError) as error:
        raise EnvironmentFaultyError("not_build123d", f"the solid that payload returned {error}") from error


def fixtures_of(design: DesignData) -> tuple[EnvironmentSolid, ...]:
    """Return the labelled solids of an environment; raise `EnvironmentFaultyError`."""
    if len(design.parts) > MAX_PARTS:
        detail = f"build returned {len(design.parts)} solids, at most {MAX_PARTS} can be; join some"
        raise EnvironmentFaultyError("not_build123d", detail)
    fixtures = tuple(_fixture(number, part) for number, part in enumerate(design.parts, start=1))
    if not fixtures:
        raise EnvironmentFaultyError("not_build123d", f"build returned nothing solid; {CONTRACT}")
    repeated = [label for label, count in Counter(fixture.label for fixture in fixtures).items() if count > 1]
    if repeated:
        names = ", ".join(repeated)
        raise EnvironmentFaultyError("not_build123d", f"{names}: used for more than one solid; label each differently")
    return fixtures


def _called(code: str, namespace: Mapping[str, object], name: str, variant: Variant, contract: str) -> DesignData:
    """Call one function of the executed script, and return its result as data; raise `ScriptFailedError`."""
    function = namespace.get(name)
    if not callable(function):
        raise ScriptFailedError("code_failed", f"the function {name} is missing; {contract}")
    with _faults_of(code):
        built = function(variant)
    try:
        return capture_design(built)
    except NotADesignError as error:
        raise ScriptFailedError("not_build123d", f"{error}; {contract}") from error


@contextmanager
def _faults_of(code: str) -> Generator[None]:
    """Any exception in the script is its own fault."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise ScriptFailedError("code_failed", _located_message(code, error)) from error


def _located_message(code: str, error: BaseException) -> str:
    """Return the exception's message with the innermost line of environment.py."""
    message = f"{type(error).__name__}: {error}"[:MESSAGE_CHARS]
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    if line is None:
        return message
    text = code.splitlines()[line - 1 : line]
    return f"line {line} of {FILE}: {message}" + (f" at `{text[0].strip()}`" if text else "")


def _fixture(number: int, part: PartData) -> EnvironmentSolid:
    label = part.label
    name = f"child {number} ({label[:80]!r})"
    if not _LABEL.fullmatch(label):
        detail = f"{name} needs a label: a letter, then at most 63 letters, digits, _ or -; set .label on every solid"
        raise EnvironmentFaultyError("not_build123d", detail)
    try:
        solid = read_single_solid(part.brep)
    except InvalidSolidError as error:
        raise EnvironmentFaultyError("not_build123d", f"{name} {error}") from error
    return EnvironmentSolid(
        label,
        solid,
        _material(name, part.material_id),
        part.catalog_id,
        is_mountable=part.is_mountable and not part.is_loose,
        is_loose=part.is_loose,
        is_moving=part.is_moving,
    )


def _material(name: str, material_id: str | None) -> Material | None:
    if material_id is not None and material_id not in MATERIALS:
        detail = f"{name} is of {material_id[:80]!r}, which is not known; take one of {', '.join(MATERIALS)}"
        raise EnvironmentFaultyError("faulty_mechanism", detail)
    return MATERIALS.get(material_id or "")
