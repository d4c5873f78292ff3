"""Tests of the engineer's journal entries."""

from typing import Any

from agent.journal.reader import journal_of, read_page
from agent.kernel_session.experiments import journal_entries, own_entry
from contracts.envelope import Event, answering
from contracts.events.conversation import JournalEntryAdded
from contracts.events.design import DesignSubmitted
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
)
from contracts.models.observation import Observation, ShownImage
from documents.journal import JournalEntry

from tests.agent.journal.assertions import assert_covered
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, invalidated, tool_reply, write_reply

ENTRY = JournalEntry(number=1, intent="learn the slope", result="5° rolls", reflection="6° is safe", next_step="build")
FILM = "**FAILED**: the ball left the world after 1.2 s\n\n- 0.4 s: it touched the wall"


async def complete(harness: EngineerHarness, request: Event, **fields: Any) -> list[Event]:
    """Let a cell complete with these fields and return what the engineer does then."""
    assert isinstance(request, CellRequested)
    seen = fields.pop("observation", Observation(status="ok", output="seen"))
    return await harness.consume(CellCompleted(**answering(request, "cad-worker"), observation=seen, **fields))


def entry_among(decided: list[Event]) -> JournalEntryAdded:
    """Return the one entry among these."""
    (entry,) = [event for event in decided if isinstance(event, JournalEntryAdded)]
    return entry


async def test_simulation_entry_has_film_and_key_frames() -> None:
    harness = EngineerHarness(
        cell_reply("show(simulate(assembly))", purpose="preview"),
        cell_reply("x = 2", purpose="fix", reasoning="too low"),
    )
    (preview,) = await harness.start()
    image = ShownImage(label="run", artifact=values.SCENE, width_px=9, height_px=9, id="picture-4")
    seen = Observation(status="ok", output=FILM, images=(image,))
    entry = entry_among(await complete(harness, preview, observation=seen, simulations=1, simulated_md=FILM))
    assert (entry.about, entry.number, entry.from_token) == ("simulation", 1, 0)
    assert (entry.film_md, entry.key_frames) == (FILM, ("picture-4",))
    assert (entry.intent, entry.reflection, entry.next_step) == ("preview", "too low", "fix")
    shown = read_page(journal_of(harness.bus.events, "engineer"), 1, "transcript", page_chars=100_000).markdown
    assert "`picture-4: run`" in shown
    assert "simulate(assembly)" in shown
    assert "too low" not in shown, "the next reply belongs to what comes after"


async def test_agents_own_entry_is_journaled_in_its_words() -> None:
    second = ENTRY.model_copy(update={"number": 2, "intent": "learn the walls"})
    whole = f"# Journal\n\n{ENTRY.markdown()}\n{second.markdown()}"
    harness = EngineerHarness(
        cell_reply("journal.add(...)"), write_reply("journal.md", whole), cell_reply("x"), cell_reply("y")
    )
    (first,) = await harness.start()
    decided = await complete(harness, first, journal_md=f"\n{ENTRY.markdown()}")
    entry = entry_among(decided)
    assert (entry.about, entry.intent, entry.reflection) == ("chapter", "learn the slope", "6° is safe")
    write = decided[-1]
    assert isinstance(write, FileWriteRequested)
    written = FileWritten(
        **answering(write, "cad-worker"), path="journal.md", size_bytes=1, sha256=values.digest(whole), text=whole
    )
    decided = await harness.consume(written)
    assert (entry_among(decided).intent, entry_among(decided).number) == ("learn the walls", 2)
    assert [event for event in await complete(harness, decided[-1]) if isinstance(event, JournalEntryAdded)] == []
    assert_covered(journal_of(harness.bus.events, "engineer"))


async def test_entry_spans_are_exact_after_a_lost_state() -> None:
    harness = EngineerHarness(
        cell_reply("simulate(a)"),
        "no form at all",
        cell_reply("submit_for_review(a)", purpose="hand in"),
        cell_reply("simulate(b)", reasoning="a leg floated"),
        cell_reply("z"),
    )
    (preview,) = await harness.start()
    (problem,) = await complete(harness, preview, simulations=1)
    await harness.threads.forget(problem)
    hand_in = (await harness.consume(problem))[-1]
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    decided = await harness.consume(invalidated(submitted))
    assert (entry_among(decided).about, entry_among(decided).intent) == ("verdict", "hand in")
    await harness.threads.forget(problem)
    await complete(harness, decided[-1], simulations=1)
    journal = journal_of(harness.bus.events, "engineer")
    assert [entry.about for entry in journal.entries] == ["simulation", "verdict", "simulation"]
    assert_covered(journal)
    assert any(each.unusable for each in journal.messages(1)), "the malformed reply precedes the entry"


def test_new_entries_are_joined_into_one() -> None:
    entries = "\n".join(ENTRY.model_copy(update={"number": each}).markdown() for each in (1, 2, 3))
    found = own_entry(journal_entries(entries), after=1)
    assert found is not None
    assert found.intent == "learn the slope; learn the slope"
    assert own_entry(journal_entries(entries), after=3) is None


async def test_entry_names_the_simulations_that_it_concludes() -> None:
    harness = EngineerHarness(
        cell_reply("simulate(a)\nsimulate(b)"),
        tool_reply("view_file", path="script.py"),
        cell_reply("simulate(c)", reasoning="both are too steep"),
        cell_reply("x", reasoning="c holds"),
    )
    (first,) = await harness.start()
    (viewed,) = await complete(harness, first, simulations=2)
    assert isinstance(viewed, FileViewRequested), "a file call without a text concludes nothing"
    assert viewed.journal_entries == ()
    seen = FileViewed(**answering(viewed, "cad-worker"), path="script.py", text="x", from_line=1, total_lines=1)
    entry, second = await harness.consume(seen)
    assert isinstance(entry, JournalEntryAdded)
    assert (entry.simulations, entry.reflection, entry.about) == ((1, 2), "both are too steep", "simulation")
    assert isinstance(second, CellRequested)
    assert second.journal_entries == (entry.id,)
    entry, third = await complete(harness, second, simulations=1)
    assert isinstance(entry, JournalEntryAdded)
    assert entry.simulations == (3,)
    assert isinstance(third, CellRequested)
    assert third.journal_entries == (entry.id,)


async def test_own_entry_of_the_submitting_cell_is_noted_with_the_submission() -> None:
    harness = EngineerHarness(
        cell_reply("simulate(a)\njournal.add(...)\nsubmit_for_review(a)", purpose="hand in"),
        cell_reply("x", reasoning="a leg floats"),
    )
    (first,) = await harness.start()
    done = {"ending": values.SUBMISSION, "simulations": 1, "journal_md": f"\n{ENTRY.markdown()}"}
    entry, submitted = await complete(harness, first, **done)
    assert isinstance(entry, JournalEntryAdded)
    assert (entry.own_entries, entry.simulations, entry.intent) == ((1,), (1,), "learn the slope")
    assert isinstance(submitted, DesignSubmitted)
    assert (submitted.journal_entries, submitted.simulations) == ((entry.id,), 1)
    assert (submitted.executor, submitted.plan_md) == ("code", values.PLAN)
    verdict, request = await harness.consume(invalidated(submitted))
    assert isinstance(verdict, JournalEntryAdded)
    assert (verdict.about, verdict.own_entries) == ("verdict", ())
    assert isinstance(request, CellRequested)
    assert request.journal_entries == (entry.id, verdict.id), "the session has neither yet"
    assert_covered(journal_of(harness.bus.events, "engineer"))


async def test_silent_tool_calls_conclude_nothing_until_a_text_does() -> None:
    harness = EngineerHarness(
        tool_reply("simulate"),
        tool_reply("submit_for_review"),
        tool_reply("submit_for_review", "it holds"),
        executor="tool_call",
    )
    (first,) = await harness.start()
    entry, second = await complete(harness, first, simulations=1)
    assert isinstance(entry, JournalEntryAdded)
    assert (entry.simulations, entry.reflection) == ((), "")
    entry, _ = await complete(harness, second)
    assert isinstance(entry, JournalEntryAdded)
    assert (entry.simulations, entry.reflection) == ((1,), "it holds")
