"""Events as lines for people. `python -m tests.cli.history.event_line_golden` writes their wording into golden/."""

import io
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from cli.commands.history.events import event_lines
from cli.runs.progress import ProgressDisplay
from cli.screen import run_line
from contracts.envelope import Event, answering, outcome_id
from contracts.event_format import format_event
from contracts.events.run import RunFailed
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.benchmark import BenchmarkFiles
from contracts.models.observation import CellError, Observation
from contracts.text import LINE_CHARS, headline, one_line
from rich.console import Console

from tests.cli.history.event_line_golden import FILE, render

HOSTILE = "[bold red]gone[/bold red] [link=file:///etc]x[/link] :boom: \x1b[2J\x1b]0;title\x07 \u202egnp"


def cell(purpose: str) -> CellRequested:
    return CellRequested(id=uuid4(), run_id=uuid4(), role="engineer", producer="engineer", purpose=purpose, code="1")


def show(event: Event, *, is_terminal: bool) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=is_terminal, width=400, markup=True, color_system=None)
    with ProgressDisplay(console) as progress:
        progress.show(event)
    return out.getvalue()


def test_event_lines_are_those_of_the_golden_file() -> None:
    assert render() == FILE.read_text("utf-8")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_markup_and_control_characters_are_shown_not_obeyed(is_terminal: bool) -> None:
    shown = show(cell(HOSTILE), is_terminal=is_terminal)
    assert "[bold red]gone[/bold red]" in shown
    assert "[link=file:///etc]x[/link]" in shown
    assert "\\x1b[2J" in shown
    assert "\x1b[2J" not in shown.replace("\x1b[2K", "")
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_event_list_shows_hostile_text_escaped() -> None:
    failed = RunFailed(id=uuid4(), run_id=uuid4(), role="planner", producer="planner", reason="refused", detail=HOSTILE)
    (line,) = event_lines([failed])
    assert "[bold red]gone[/bold red]" in line.plain
    assert "\x1b" not in line.plain


def test_event_list_numbers_each_cause() -> None:
    request = cell("look")
    done = CellCompleted(**answering(request, "cad-worker"), observation=Observation(status="ok", output="42"))
    first, second = (each.plain for each in event_lines([request, done]))
    assert "←" not in first
    assert "← 1" in second
    assert "42" in second
    assert done.id == outcome_id(request.id)


def test_cell_error_has_its_type_and_line_number() -> None:
    observation = Observation(status="error", error=CellError(type="ValueError", message="no box", line=3))
    line = format_event(CellCompleted(**answering(cell("x"), "cad-worker"), observation=observation))
    assert line.severity == "failure"
    assert "ValueError in line 3: no box" in line.text


def test_cell_of_an_author_says_that_it_submitted_files() -> None:
    done = CellCompleted(
        **answering(cell("x"), "cad-worker"), observation=Observation(status="ok"), files=BenchmarkFiles()
    )
    assert "submitted the benchmark's files" in format_event(done).text


def test_line_has_a_limited_length() -> None:
    assert len(one_line("word " * 1000)) == LINE_CHARS
    assert "\n" not in run_line(format_event(cell("a\nb\r\nc")), "engineer", 1.0).plain


def test_headline_skips_headings_and_verdicts() -> None:
    assert headline("VERDICT: REJECT\n\n# Why\n- **the leg floats**\n") == "the leg floats"
    assert headline("") == "no output"


async def test_text_stored_as_an_artifact_is_cut_with_its_size() -> None:
    bus = FakeBus(FakeArtifacts())
    await bus.publish(cell("measure everything " * 10_000))
    (line,) = event_lines(bus.events)
    assert "measure everything measure" in line.plain
    assert line.plain.endswith(" (cut, was 190 kB)")
    assert len(format_event(bus.events[0]).text) == LINE_CHARS
