"""A valid document is exactly what is written of it, and whatever is written can be read."""

from decimal import Decimal

import pytest
from documents.benchmark_plan import BenchmarkPlan, Draw, Thing, read_benchmark_plan
from documents.journal import Journal, JournalEntry, read_journal
from documents.part_rows import METHODS, PlannedPart
from documents.plan import Plan, plan_from, read_plan
from documents.refusal import citations, read_refusal
from documents.tables import Risk
from documents.text import STRANGE_BREAKS
from documents.todo import Todo, TodoItem, read_todo
from hypothesis import given, settings
from hypothesis import strategies as st
from parts_catalog.materials import materials_for
from parts_catalog.parts import parts
from pydantic import ValidationError

from tests.documents.valid_documents import BENCHMARK_PLAN, JOURNAL, PLAN, PROOF, TODO

drawn = settings(deadline=None, derandomize=True)
_CHARACTERS = st.characters(exclude_categories=("Cs",), exclude_characters=f"\n{STRANGE_BREAKS}")
_LINES = st.text(_CHARACTERS, min_size=1, max_size=30).map(str.strip).filter(bool)
_NAMES = _LINES.map(lambda text: text.replace("|", "/").replace(":", ";"))
_PROSE = st.lists(_LINES.filter(lambda line: not line.startswith("#")), min_size=1, max_size=4).map("\n\n".join)
_STAGES = st.lists(_LINES, min_size=1, max_size=3).map(tuple)
_RISKS = st.lists(st.builds(Risk, what=_NAMES, against_it=_LINES), min_size=1, max_size=3).map(tuple)
_AMOUNTS = st.decimals(min_value=0, max_value=10**6, places=2) | st.integers(0, 10**6).map(Decimal)
_THINGS = st.lists(st.builds(Thing, name=_NAMES, what=_LINES), min_size=1, max_size=3).map(tuple)


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
def _benchmark_plans(draw: st.DrawFn) -> BenchmarkPlan:
    low, high = sorted((draw(_AMOUNTS), draw(_AMOUNTS)))
    draws = (Draw(quantity=draw(_NAMES), lowest=-high, highest=low, unit=draw(_NAMES)),)
    fields = {"task": draw(_PROSE), "world": draw(_THINGS), "moving": draw(_THINGS), "draws": draws}
    return BenchmarkPlan.model_validate({**fields, "expected": draw(_STAGES), "risks": draw(_RISKS)})


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
    told = draw(st.lists(entry, max_size=4))
    return Journal(entries=tuple(JournalEntry(number=at, **fields) for at, fields in enumerate(told, start=1)))


@drawn
@given(_plans())
def test_any_plan_can_be_written_and_read(plan: Plan) -> None:
    text = plan.markdown()
    assert read_plan(text) == plan
    assert read_plan(text).markdown() == text


@drawn
@given(_benchmark_plans())
def test_any_plan_of_a_benchmark_can_be_written_and_read(plan: BenchmarkPlan) -> None:
    text = plan.markdown()
    assert read_benchmark_plan(text) == plan
    assert read_benchmark_plan(text).markdown() == text


@drawn
@given(_todos())
def test_any_list_can_be_written_and_read(todo: Todo) -> None:
    text = todo.markdown()
    assert read_todo(text) == todo
    assert read_todo(text).markdown() == text


@drawn
@given(_journals())
def test_any_journal_can_be_written_and_read(journal: Journal) -> None:
    text = journal.markdown()
    assert read_journal(text) == journal
    assert read_journal(text).markdown() == text


def test_sound_documents_are_what_is_written_of_them() -> None:
    assert read_plan(PLAN).markdown() == PLAN
    assert read_benchmark_plan(BENCHMARK_PLAN).markdown() == BENCHMARK_PLAN
    assert read_todo(TODO).markdown() == TODO
    assert read_journal(JOURNAL).markdown() == JOURNAL
    assert read_refusal(PROOF).markdown() == PROOF


def test_a_draft_may_be_laid_out_otherwise_and_means_the_same() -> None:
    loose = (
        PLAN.replace("\n\n", "\n\n\n")
        .replace("| 120 |", "|   120|")
        .replace("| --- |", "|:---|")
        .replace("wall.", "wall. ")
    )
    assert plan_from(loose) == read_plan(PLAN)


@pytest.mark.parametrize("text", ["", " x", "x ", "a\nb", "a\rb", "a\u2028b"])
def test_nothing_that_could_not_be_read_again_can_be_written(text: str) -> None:
    with pytest.raises(ValidationError):
        TodoItem(number=1, text=text)


def test_citations_are_told_once_each_in_the_order_of_their_mention() -> None:
    proof = (
        "[simulation 2] after [cell 3], [cell 12] and [simulation 2]; [cell 0], [cell], cell 4 and [Cell 5] are none"
    )
    assert citations(proof) == (("simulation", 2), ("cell", 3), ("cell", 12))
