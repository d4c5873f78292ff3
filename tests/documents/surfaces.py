"""Renders the surfaces of documents that agents read, for the golden files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Limits
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import CellError, Observation, Recovery, ShownImage, Variable
from documents import journal, todo
from documents.observation import observation_markdown
from documents.parser import DocumentError
from documents.plan import check_budget, read_plan
from documents.quote import pricing_markdown
from pydantic import TypeAdapter

from tests.contracts import example_values as values
from tests.documents.malformed import MALFORMED
from tests.documents.valid_documents import JOURNAL, PLAN, TODO
from tests.support.golden import Surfaces

GOLDEN = Path(__file__).parent / "golden"
_PNG = ArtifactRef(sha256="a" * 64, media_type="image/png", size_bytes=1000)
_TEXT = ArtifactRef(sha256="0123456789ab" + "f" * 52, media_type="text/plain", size_bytes=48_890)
RECORDED = TypeAdapter(dict[str, Observation]).validate_json(
    (Path(__file__).parent / "recorded" / "observations.json").read_bytes()
)
"""Observations of real cells by name, see `record_observations`."""
RECOVERY = Recovery(
    why="the worker that held the session was lost",
    replayed_cells=10,
    elapsed_s=1.5,
    files=("script.py",),
    restored=("base",),
    different=("luck",),
    lost=("early",),
    remarks=("cell 2 had run out of time",),
)


def _observations() -> str:
    full = Observation(
        status="error",
        elapsed_s=0.25,
        recovery=RECOVERY,
        images=(ShownImage(label="a `leg`\nfrom below", artifact=_PNG, width_px=640, height_px=480, id="picture-7"),),
        images_refused=("array 9 x 9: not uint8",),
        images_left=29,
        output="hello\n```\n",
        output_chars=48_890,
        full_output=_TEXT,
        error=CellError(type="ValueError", message="too wide", line=3, traceback="Traceback\nValueError: too wide"),
        put_back=("todo.md was restored: line 3: …",),
        variables=tuple(Variable(name=f"x{n}", type="int", summary=str(n), change="new") for n in range(14)),
        tool_calls_left=3,
    )
    others = [Observation(status=status, elapsed_s=1.5) for status in ("ok", "timeout", "killed", "refused")]
    fresh = RECOVERY.model_copy(update={"replayed_cells": 0, "remarks": (), "files": (), "lost": ()})
    others.append(Observation(status="ok", recovery=fresh))
    return "\n".join(observation_markdown(each) for each in (full, *others))


def _quotes() -> str:
    limits = Limits(max_unit_price_usd=40, max_mass_kg=0.5, max_parts=30)
    error = Finding(rule="print_thin_wall", label="floor", detail="0.6 mm at (1, 2, 3), at least 0.8 mm is needed")
    warning = Finding(rule="cnc_setups", detail="it costs two more setups", severity="warning")
    bill: BillOfMaterials = values.BILL
    return "\n".join(
        pricing_markdown(findings, priced, limits)
        for findings, priced in (((), bill), ((error, warning), None), ((warning,) * 22, bill))
    )


def _problems() -> str:
    return "\n".join(f"== {title}\n{text}\n" for title, text in (*_malformed(), *_changes()))


def _malformed() -> Iterator[tuple[str, str]]:
    for case in MALFORMED:
        try:
            case.read(case.text)
        except DocumentError as error:
            yield f"{case.document}: {case.fault}", str(error)


def _changes() -> Iterator[tuple[str, str]]:
    changes = [
        ("item removed", TODO, TODO[: TODO.index("- [-] T3")]),
        ("item reworded", TODO, TODO.replace("build the legs", "build a leg")),
        (
            "item reopened",
            TODO,
            TODO.replace("[-] T3: glue the rail (reason: the rail is screwed)", "[ ] T3: glue the rail"),
        ),
        ("other reason", TODO, TODO.replace("is screwed", "is bent")),
        ("entry removed", JOURNAL, JOURNAL[: JOURNAL.index("\n## J2")]),
        ("entry reworded", JOURNAL, JOURNAL.replace("one floats", "all stand")),
    ]
    for title, old, new in changes:
        try:
            if old is TODO:
                todo.check_change(todo.read_todo(old), todo.read_todo(new))
            else:
                journal.check_change(journal.read_journal(old), journal.read_journal(new))
        except DocumentError as error:
            yield f"change: {title}", str(error)
    limits = Limits(max_unit_price_usd=44.9, max_mass_kg=0.4, max_parts=5)
    yield "plan.md: over budget", "\n".join(f"- {problem}" for problem in check_budget(read_plan(PLAN), limits))


def _recorded(observations: Mapping[str, Observation]) -> str:
    return "\n".join(f"# {name}\n\n{observation_markdown(each)}" for name, each in observations.items())


SURFACES: Surfaces = {
    "recorded_observations.md": lambda: _recorded(RECORDED),
    "observation.md": _observations,
    "quote.md": _quotes,
    "problems.txt": _problems,
}
