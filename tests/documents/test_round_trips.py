"""Round trips: a valid document is read and written without change."""

from decimal import Decimal

import pytest
from documents.journal import Journal, JournalEntry, read_journal
from documents.journal_coverage import Coverage
from documents.parser import UNUSUAL_LINE_BREAKS
from documents.parts_table import PlannedPart
from documents.plan import Plan, Risk, parse_plan, read_plan
from documents.refusal import check_proof, citations
from documents.todo import Todo, TodoItem, read_todo
from hypothesis import given, settings
from hypothesis import strategies as st
from parts_catalog.materials import materials_for
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import parts
from pydantic import ValidationError

from tests.documents.valid_documents import JOURNAL, PLAN, PROOF, TODO

deterministic = settings(deadline=None, derandomize=True)
_CHARACTERS = st.characters(exclude_categories=("Cs",), exclude_characters=f"\n{UNUSUAL_LINE_BREAKS}")
_LINES = st.text(_CHARACTERS, min_size=1, max_size=30).map(str.strip).filter(bool)
_NAMES = _LINES.map(lambda text: text.replace("|", "/").replace(":", ";"))
_PROSE = st.lists(_LINES.filter(lambda line: not line.startswith("#")), min_size=1, max_size=4).map("\n\n".join)
_STAGES = st.lists(_LINES, min_size=1, max_size=3).map(tuple)
_RISKS = st.lists(st.builds(Risk, risk=_NAMES, measure=_LINES), min_size=1, max_size=3).map(tuple)
_AMOUNTS = st.decimals(min_value=0, max_value=10**6, places=2) | st.integers(0, 10**6).map(Decimal)


@st.composite
def _part(draw: st.DrawFn, name: str) -> PlannedPart:
    method = draw(st.sampled_from((*METHODS, "catalog")))
    known = tuple(parts()) if method == "catalog" else materials_for(method)
    material, count = draw(st.sampled_from(known)), draw(st.integers(1, 9999))
    fields = {"mass_g": draw(_AMOUNTS), "price_usd": draw(_AMOUNTS)}
    return PlannedPart.model_validate({"name": name, "count": count, "method": method, "material": material, **fields})


@st.composite
def _plans(draw: st.DrawFn) -> Plan:
    names = draw(st.lists(_NAMES, min_size=1, max_size=3, unique=True))
    made = tuple(draw(_part(name)) for name in names)
    motion = {"moved_by": draw(_LINES), "stages": draw(_STAGES)}
    return Plan.model_validate({"idea": draw(_PROSE), "parts": made, "risks": draw(_RISKS), **motion})


@st.composite
def _todos(draw: st.DrawFn) -> Todo:
    states = draw(st.lists(st.sampled_from(("open", "done", "dropped")), min_size=1, max_size=5))
    texts = _LINES.filter(lambda text: "(reason:" not in text)
    items = [
        TodoItem(number=number, text=draw(texts), state=state, reason=draw(texts) if state == "dropped" else None)
        for number, state in enumerate(states, start=1)
    ]
    return Todo(items=tuple(items))


@st.composite
def _journals(draw: st.DrawFn) -> Journal:
    entry = st.fixed_dictionaries(
        dict.fromkeys(("intent", "result", "reflection", "next_step"), _LINES),
        optional={"film": _LINES, "frames": _LINES},
    )
    covers = st.none() | st.builds(
        Coverage, run=st.just("1a2b3c4d"), from_token=st.integers(0, 99), to_token=st.integers(0, 99)
    )
    texts = draw(st.lists(st.tuples(entry, covers), max_size=4))
    entries = [
        JournalEntry.model_validate({"number": number, "covers": each, **fields})
        for number, (fields, each) in enumerate(texts, start=1)
    ]
    return Journal(entries=tuple(entries))


@deterministic
@given(_plans())
def test_any_plan_survives_writing_and_reading(plan: Plan) -> None:
    text = plan.markdown()
    assert read_plan(text) == plan
    assert read_plan(text).markdown() == text


@deterministic
@given(_todos())
def test_any_todo_list_survives_writing_and_reading(todo: Todo) -> None:
    text = todo.markdown()
    assert read_todo(text) == todo
    assert read_todo(text).markdown() == text


@deterministic
@given(_journals())
def test_any_journal_survives_writing_and_reading(journal: Journal) -> None:
    text = journal.markdown()
    assert read_journal(text) == journal
    assert read_journal(text).markdown() == text


def test_valid_documents_are_written_unchanged() -> None:
    assert read_plan(PLAN).markdown() == PLAN
    assert read_todo(TODO).markdown() == TODO
    assert read_journal(JOURNAL).markdown() == JOURNAL


def test_draft_plan_may_have_other_layout() -> None:
    draft = (
        PLAN.replace("\n\n", "\n\n\n")
        .replace("| 120 |", "|   120|")
        .replace("| --- |", "|:---|")
        .replace("wall.", "wall. ")
    )
    assert parse_plan(draft) == read_plan(PLAN)


@pytest.mark.parametrize("text", ["", " x", "x ", "a\nb", "a\rb", "a\u2028b"])
def test_unreadable_item_text_is_rejected(text: str) -> None:
    with pytest.raises(ValidationError):
        TodoItem(number=1, text=text)


def test_citations_are_unique_and_in_order_of_mention() -> None:
    check_proof(PROOF)
    proof = (
        "[simulation 2] after [cell 3], [cell 12] and [simulation 2]; [cell 0], [cell], cell 4 and [Cell 5] are none"
    )
    assert citations(proof) == (("simulation", 2), ("cell", 3), ("cell", 12))
