"""Renders the messages that agents read in a kernel, for the golden files."""

import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from contracts.models.assessment import Assessment, Rerun
from contracts.models.catalog import CatalogFind
from kernel.api import catalog_api, engineer_api
from kernel.api import mechanism_api as mechanism
from kernel.api.display import show_on
from kernel.api.document_files import JournalFile, TodoFile
from kernel.api.simulation_run import SimulationRun
from kernel.checker.checker import violations
from kernel.checker.rules import ALLOWED_MODULES
from matplotlib.figure import Figure

from tests.fuzz.corpus import ESCAPES
from tests.kernel.fakes import FakeHost, FakeScreen, disconnected
from tests.kernel.runs import result, trajectory
from tests.support.golden import Surfaces

GOLDEN = Path(__file__).parent / "golden"
_MODULES = ", ".join(sorted(ALLOWED_MODULES))


def _checker_messages() -> str:
    """Return one message of each rule and alternative, with the code that causes it."""
    shown: dict[tuple[str, str], str] = {}
    for _, code in ESCAPES:
        for violation in violations(code):
            shown.setdefault((violation.rule, violation.instead), f"{code!r}\n    {violation}")
    return "\n".join([*shown.values(), "", f"Allowed modules: {_MODULES}", ""])


def _outside_a_cell() -> Mapping[str, Callable[[], object]]:
    return {
        "simulate outside a cell": lambda: engineer_api.simulate(object()),
        "catalog outside a cell": lambda: catalog_api.search("a motor"),
        "catalog_part outside a kernel": lambda: mechanism.catalog_part("mg996r"),
    }


def _mechanism_errors() -> Mapping[str, Callable[[], object]]:
    at = [(0, 0, 9)]
    return {
        "invalid label": lambda: mechanism.glue("leg" * 22, "floor"),
        "no label": lambda: mechanism.glue(object(), "floor"),
        "same label": lambda: mechanism.glue("leg", "leg"),
        "flat positions": lambda: mechanism.screw("a", "b", "iso4762-m4x16", at=(0, 0, 9)),  # pyright: ignore[reportArgumentType]
        "no positions": lambda: mechanism.screw("a", "b", "iso4762-m4x16", at=[]),
        "no direction": lambda: mechanism.screw("a", "b", "iso4762-m4x16", at=at, into=(0, 0, 0)),
        "flat direction": lambda: mechanism.screw("a", "b", "iso4762-m4x16", at=at, into=(0, 0)),
        "unknown screw": lambda: mechanism.screw("a", "b", "iso4762-m4x15", at=at),
        "unknown bearing": lambda: mechanism.bearing("609zz", joint="hinge"),
        "unsuitable part": lambda: mechanism.screw("a", "b", "nut-m6", at=at),
        "unknown part": lambda: mechanism.catalog_part("mg999r"),
        "other control": lambda: mechanism.drive("servo", joint="hinge", control=0.5),  # pyright: ignore[reportArgumentType]
        "negative radius": lambda: mechanism.rack("a", "b", pinion_radius_mm=-1),
        "no travel": lambda: mechanism.rack("a", "b"),
        "zero ratio": lambda: mechanism.gears("a", "b", 0),
    }


def _run_errors() -> Mapping[str, Callable[[], object]]:
    run, other = SimulationRun.of(result(), trajectory()), SimulationRun.of(result("second"), trajectory())
    return {
        "time outside the run": lambda: run.payload_mm.at(9),
        "empty window": lambda: run[4.0:5.0],
        "index instead of a time": lambda: run[3],  # pyright: ignore[reportArgumentType]
        "mask instead of a time": lambda: run.payload_mm["first"],
        "window with a step": lambda: run.payload_mm[0.0:1.0:2],
        "unknown joint": lambda: run.joint("elbow"),
        "no trajectory": lambda: SimulationRun.of(result(), b"").payload_mm,
        "series of two runs": lambda: run.payload_mm - other.payload_mm,
        "series of two windows": lambda: run.payload_mm[0.0:1.0] - run.payload_mm[1.0:2.0],
    }


def _display_errors() -> Mapping[str, Callable[[], object]]:
    screen = FakeScreen()
    return {
        "nothing to show": lambda: show_on(screen, (), None),
        "too many things": lambda: show_on(screen, (object(),) * 21, None),
        "nested lists": lambda: show_on(screen, ([[object()]],), None),
        "array of floats": lambda: show_on(screen, (np.zeros((4, 4)),), None),
        "array of two channels": lambda: show_on(screen, (np.zeros((4, 4, 2), np.uint8),), None),
        "large array": lambda: show_on(screen, (np.zeros((5000, 5000), np.uint8),), None),
        "large figure": lambda: show_on(screen, (Figure(figsize=(90, 90)),), None),
        "recall of a number": lambda: engineer_api.recall(7),  # pyright: ignore[reportArgumentType]
    }


def _notebook_errors(folder: Path) -> Mapping[str, Callable[[], object]]:
    (folder / "todo.md").write_text("# TODO\n\n- [ ] T1: measure\n")
    todo, journal = TodoFile(folder / "todo.md"), JournalFile(folder / "journal.md")
    return {
        "unknown item": lambda: todo.check("T9"),
        "drop without a reason": lambda: todo.drop("T1", " "),
        "entry without a result": lambda: journal.add("build", "", "", ""),
    }


def _errors() -> str:
    """Return type and message of each error, outside a kernel and inside one."""
    with disconnected():
        lines = [_raised(title, call) for title, call in _outside_a_cell().items()]
    with TemporaryDirectory() as folder, FakeHost().connected():
        groups = (_mechanism_errors(), _run_errors(), _display_errors(), _notebook_errors(Path(folder)))
        lines += [_raised(title, call) for group in groups for title, call in group.items()]
    return "\n".join([*lines, ""])


def _raised(title: str, call: Callable[[], object]) -> str:
    try:
        call()
    except (ValueError, TypeError, LookupError, RuntimeError) as error:
        return f"{title}\n    {type(error).__name__}: {error}"
    raise AssertionError(f"{title}: no error was raised")


def _printed() -> str:
    """Return what functions print and objects show in a cell."""
    run = SimulationRun.of(result(), trajectory())
    found = CatalogFind(
        id="mg996r",
        name="servo MG996R",
        what="1.08 N m | 6 V",
        figures={},
        unit_price_usd=12.0,
        confidence="estimate",
        reason="strong enough",
    )
    sections = {"run": repr(run), "run in the list of variables": run.one_line, "series": repr(run.payload_mm)}
    sections["assessment"] = str(Assessment.of([Rerun(seed=1, endings=("reached_goal",))], judged_seed=0))
    for title, finds in (("catalog search", [found]), ("catalog search without a match", [])):
        with FakeHost(finds=finds).connected(), redirect_stdout(io.StringIO()) as output:
            catalog_api.search("a servo")
        sections[title] = output.getvalue().rstrip()
    with TemporaryDirectory() as folder:
        (Path(folder) / "todo.md").write_text("# TODO\n\n- [ ] T1: measure\n")
        sections["todo"] = repr(TodoFile(Path(folder) / "todo.md"))
        sections["journal"] = repr(JournalFile(Path(folder) / "journal.md"))
    return "\n".join(f"== {title}\n{text}\n" for title, text in sections.items())


SURFACES: Surfaces = {"checker_messages.txt": _checker_messages, "errors.txt": _errors, "printed.txt": _printed}
