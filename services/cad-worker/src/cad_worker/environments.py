"""From the text of environment.py to the labelled solids of one variant. The text is a stranger's."""

import traceback
from collections import Counter
from typing import Literal

from contracts.benchmark import Variant

from cad_worker.bodies import Block
from cad_worker.exchange import DesignData, NotADesignError, PartData
from cad_worker.geometry.boxes import recognise_box
from cad_worker.geometry.occt import Contents, UnreadableBrepError, read_brep
from cad_worker.jobs.capture import capture_design
from cad_worker.rules.shop import LABEL, MAX_PARTS

FILE = "environment.py"
MESSAGE_CHARS = 500
CONTRACT = "environment.py must define build(variant) and return a build123d Compound whose children are labelled boxes"
Reason = Literal["code_failed", "not_build123d", "payload_in_wall", "outside_bounds", "zone_conflict"]


class EnvironmentFaultyError(ValueError):
    """The environment cannot be worked on; says why in the words of `EnvironmentRefused`."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail


class ScriptFailedError(ValueError):
    """The script made nothing that could be checked."""

    def __init__(self, reason: Literal["code_failed", "not_build123d"], problem: str) -> None:
        super().__init__(problem)
        self.reason: Literal["code_failed", "not_build123d"] = reason


def run_environment(code: str, variant: Variant) -> DesignData:
    """Run `build(variant)` and return what it built, as data; raise `ScriptFailedError`."""
    built = _call_build(code, variant)
    try:
        return capture_design(built)
    except NotADesignError as error:
        raise ScriptFailedError("not_build123d", f"build returned a {type(built).__name__}; {CONTRACT}") from error


def blocks_of(design: DesignData) -> tuple[Block, ...]:
    """Return the labelled boxes of an environment; raise `EnvironmentFaultyError`."""
    if len(design.parts) > MAX_PARTS:
        detail = f"build returned {len(design.parts)} solids, at most {MAX_PARTS} can be; join some"
        raise EnvironmentFaultyError("not_build123d", detail)
    blocks = tuple(_block(number, part) for number, part in enumerate(design.parts, start=1))
    if not blocks:
        raise EnvironmentFaultyError("not_build123d", f"build returned nothing solid; {CONTRACT}")
    repeated = [label for label, count in Counter(block.label for block in blocks).items() if count > 1]
    if repeated:
        names = ", ".join(repeated)
        raise EnvironmentFaultyError("not_build123d", f"{names}: used for more than one solid; label each differently")
    return blocks


def _call_build(code: str, variant: Variant) -> object:
    """Execute the text and call its `build`; whatever it raises is its own fault and an answer, no surprise."""
    namespace: dict[str, object] = {"__name__": "environment", "__file__": FILE}
    try:
        exec(compile(code, FILE, "exec"), namespace)  # noqa: S102 - in a confined child that exists for this text alone
        build = namespace.get("build")
        if not callable(build):
            raise ScriptFailedError("code_failed", f"there is no function build; {CONTRACT}")
        return build(variant)
    except ScriptFailedError:
        raise
    except (Exception, SystemExit) as error:
        raise ScriptFailedError("code_failed", _where(code, error)) from error


def _where(code: str, error: BaseException) -> str:
    """Return line, text and message of the innermost place in environment.py."""
    message = f"{type(error).__name__}: {error}"[:MESSAGE_CHARS]
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    if line is None:
        return message
    text = code.splitlines()[line - 1 : line]
    return f"line {line} of {FILE}: {message}" + (f" at `{text[0].strip()}`" if text else "")


def _block(number: int, part: PartData) -> Block:
    label = part.label
    name = f"child {number} ({label[:80]!r})"
    if not LABEL.fullmatch(label):
        detail = f"{name} needs a label: a letter, then at most 63 letters, digits, _ or -; set .label on every solid"
        raise EnvironmentFaultyError("not_build123d", detail)
    contents = _contents(part)
    if contents is None or len(contents.solids) != 1 or contents.others:
        count = len(contents.solids) if contents else 0
        raise EnvironmentFaultyError(
            "not_build123d", f"{name} holds {count} solids and must be exactly 1 and nothing else"
        )
    box = recognise_box(contents.solids[0])
    if box is None:
        raise EnvironmentFaultyError(
            "not_build123d", f"{name} is no plain box; build its shape of several labelled boxes"
        )
    return Block(label, contents.solids[0], box)


def _contents(part: PartData) -> Contents | None:
    try:
        return read_brep(part.brep)
    except UnreadableBrepError:
        return None
