"""Lines for people: whatever a model or a kernel wrote, it stays text."""

import io
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from cli.commands.events import story
from cli.formatting import describe, format_event
from cli.runs.progress import ProgressDisplay
from cli.screen import line
from cli.text import LINE_CHARS, headline, one_line
from contracts.envelope import Event, outcome_id
from contracts.events.run import RunFailed
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import CellError, Observation
from contracts.registry import EVENTS
from rich.console import Console

HOSTILE = "[bold red]gone[/bold red] [link=file:///etc]x[/link] :boom: \x1b[2J\x1b]0;title\x07 \u202egnp"


def cell(purpose: str) -> CellRequested:
    return CellRequested(id=uuid4(), run_id=uuid4(), role="engineer", producer="engineer", purpose=purpose, code="1")


def rendered(console_is_terminal: bool, event: Event) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=console_is_terminal, width=400, markup=True, color_system=None)
    with ProgressDisplay(console) as progress:
        progress.show(event)
    return out.getvalue()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_markup_and_control_characters_of_a_model_are_shown_not_obeyed(is_terminal: bool) -> None:
    shown = rendered(is_terminal, cell(HOSTILE))
    assert "[bold red]gone[/bold red]" in shown
    assert "[link=file:///etc]x[/link]" in shown
    assert "\\x1b[2J" in shown
    assert "\x1b[2J" not in shown.replace("\x1b[2K", "")
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_a_story_shows_hostile_text_as_it_is() -> None:
    failed = RunFailed(id=uuid4(), run_id=uuid4(), role="planner", producer="planner", reason="refused", detail=HOSTILE)
    told = [each.plain for each in story([failed])]
    assert "[bold red]gone[/bold red]" in told[0]
    assert "\x1b" not in told[0]


def test_a_story_tells_each_cause_by_its_number() -> None:
    asked = cell("look")
    done = CellCompleted.answering(asked, "cad-worker", observation=Observation(status="ok", output="42"))
    first, second = (each.plain for each in story([asked, done]))
    assert "←" not in first
    assert "← 1" in second
    assert "42" in second
    assert done.id == outcome_id(asked.id)


def test_an_error_in_a_cell_is_told_with_its_line() -> None:
    observation = Observation(status="error", error=CellError(type="ValueError", message="no box", line=3))
    told = format_event(CellCompleted.answering(cell("x"), "cad-worker", observation=observation))
    assert told.severity == "bad"
    assert told.text == "cell error: ValueError in line 3: no box"


def test_a_line_is_never_longer_than_a_line() -> None:
    assert len(one_line("word " * 1000)) == LINE_CHARS
    assert "\n" not in line(format_event(cell("a\nb\r\nc")), "engineer", 1.0).plain


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_every_event_of_the_language_has_words_of_its_own(event: type[Event]) -> None:
    assert describe.dispatch(event) is not describe.dispatch(Event)


def test_a_headline_skips_headings_and_verdicts() -> None:
    assert headline("VERDICT: REJECT\n\n# Why\n- **the leg floats**\n") == "the leg floats"
    assert headline("") == "no output"


async def test_of_a_text_that_did_not_travel_the_beginning_is_told_and_the_size() -> None:
    bus = FakeBus(FakeArtifacts())
    await bus.publish(cell("measure everything " * 10_000))
    (told,) = (each.plain for each in story(bus.events))
    assert "measure everything measure" in told
    assert told.endswith(" (cut, was 190 kB)")
    assert len(format_event(bus.events[0]).text) == LINE_CHARS
