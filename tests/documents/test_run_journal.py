"""What the system notes in journal.md, and what a submission's documents must have."""

from uuid import UUID

import pytest
from contracts.events.conversation import JournalEntryAdded
from contracts.models.benchmark import Executor
from documents.completeness import completeness_findings
from documents.journal import Journal, JournalEntry, read_journal
from documents.journal_coverage import Coverage, read_coverage
from documents.run_journal import NO_REFLECTION, with_entry
from hypothesis import given
from hypothesis import strategies as st

RUN = UUID("1a2b3c4d-0000-4000-8000-000000000001")
OTHER_RUN = UUID("9a2b3c4d-0000-4000-8000-000000000001")
DONE = "# TODO\n\n- [x] T1: build\n- [-] T2: paint (reason: not needed)\n"
OPEN = "# TODO\n\n- [x] T1: build\n- [ ] T2: paint\n- [ ] T3: weigh\n"


def noted(run: UUID = RUN, **fields: object) -> JournalEntryAdded:
    """Return an entry that a role noted."""
    words = {"intent": "preview", "result": "solved", "reflection": "it holds", "next_step": "submit"}
    common = {"id": run, "run_id": run, "role": "engineer", "producer": "engineer", "from_token": 0, "to_token": 9}
    return JournalEntryAdded.model_validate({**common, **words, **fields})


@given(st.sets(st.integers(1, 60), max_size=20), st.integers(0, 10**6), st.integers(0, 10**6))
def test_coverage_is_read_as_it_was_written(simulations: set[int], first: int, end: int) -> None:
    numbers = tuple(sorted(simulations))
    coverage = Coverage(run="1a2b3c4d", from_token=first, to_token=end, simulations=numbers)
    assert read_coverage(coverage.line()) == coverage


@pytest.mark.parametrize(
    "text",
    ["", "tokens 1 to 2", "tokens 1 to 2 of run xyz", "tokens 1 to 2 of run 1a2b3c4d, simulations 1 to", "all of it"],
)
def test_other_coverage_is_not_read(text: str) -> None:
    assert read_coverage(text) is None


@given(st.text(max_size=900), st.text(max_size=900), st.text(max_size=900))
def test_any_noted_text_becomes_a_valid_entry(intent: str, result: str, film: str) -> None:
    entry = noted(intent=intent, result=result, reflection="", film_md=film, key_frames=("picture-1",))
    text = with_entry("# Journal\n", entry)
    assert read_journal(text).entries[0].reflection == NO_REFLECTION
    assert with_entry(text, entry) == text, "it is added once"


@pytest.mark.parametrize(("entries", "most_chars"), [(0, 2300), (300, 600), (500, 260)])
def test_entries_become_shorter_as_the_journal_grows(entries: int, most_chars: int) -> None:
    written = JournalEntry(number=1, intent="x" * 380, result="y", reflection="z", next_step="w")
    numbered = (written.model_copy(update={"number": number}) for number in range(1, entries + 1))
    before = Journal(entries=tuple(numbered)).markdown()
    long = "x" * 500
    entry = noted(intent=long, result=long, reflection=long, next_step=long, film_md=long)
    added = len(with_entry(before, entry).encode()) - len(before.encode())
    assert 0 < added <= most_chars


@pytest.mark.parametrize(
    ("executor", "calls"),
    [("code", ('todo.check("T2")', "todo.drop(")), ("tool_call", ('edit_file("todo.md", "- [ ] T2:"', "write_file("))],
)
def test_open_items_are_named_with_the_calls_that_settle_them(executor: Executor, calls: tuple[str, str]) -> None:
    (finding,) = completeness_findings({"todo.md": OPEN, "journal.md": "# Journal\n"}, RUN, 0, executor)
    assert (finding.rule, finding.measured, finding.limit) == ("open_todo_item", 2, 0)
    assert "2 of 3 items of todo.md are open: T2 (paint); T3 (weigh)" in finding.detail
    assert all(call in finding.detail for call in calls)


@pytest.mark.parametrize(
    "text",
    [
        "submit",
        "Submit for review",
        "Submit the design for review.",
        "submit_for_review(assembly)",
        "Finally, submit `script.py`",
    ],
)
def test_item_that_names_the_submission_does_not_hold_it_up(text: str) -> None:
    todo = f"# TODO\n\n- [x] T1: build\n- [ ] T2: {text}\n"
    assert completeness_findings({"todo.md": todo, "journal.md": "# Journal\n"}, RUN, 0, "code") == ()


@pytest.mark.parametrize(
    "text", ["resubmit drawings; widen the base", "check the walls, then submit", "submittal list"]
)
def test_item_of_other_work_holds_the_submission_up(text: str) -> None:
    todo = f"# TODO\n\n- [x] T1: build\n- [ ] T2: {text}\n"
    (finding,) = completeness_findings({"todo.md": todo, "journal.md": "# Journal\n"}, RUN, 0, "code")
    assert finding.rule == "open_todo_item"


def test_entries_of_another_run_or_without_reflection_cover_no_simulation() -> None:
    text = with_entry("# Journal\n", noted(OTHER_RUN, simulations=(1, 2)))
    text = with_entry(text, noted(reflection=""))
    files = {"todo.md": DONE, "journal.md": text}
    (finding,) = completeness_findings(files, RUN, 2, "code")
    assert finding.rule == "missing_journal_entry"
    assert "no entry for simulations 1 to 2 of 2" in finding.detail
    complete = with_entry(text, noted(from_token=9, to_token=12, simulations=(1, 2)))
    assert completeness_findings({**files, "journal.md": complete}, RUN, 2, "code") == ()
    assert completeness_findings({"todo.md": OPEN, "journal.md": "# Journal\n"}, RUN, 2, "single_pass") == ()
    assert completeness_findings({}, RUN, 2, None) == (), "a log older than the check"
