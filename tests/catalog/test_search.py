"""Tests of catalog searches over a real Postgres, by the offline expert and by scripted models."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from agent.loop.rejections import MAX_OF_ONE_CAUSE
from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel
from agent.testing import scripted
from catalog.policy import MAX_QUERIES, CatalogSearcher
from chassis.testing import FakeBus
from contracts.envelope import Event
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.models.catalog import CatalogFind
from store.catalog.reader import Catalog
from store.database import Database

from tests.agent.role_harness import engineering_requested, last_prompt, threads_of
from tests.support.replies.taught_code import PROMPTS

MOTORS = "SELECT part_id, from_usd FROM part_search WHERE category = 'motor' ORDER BY from_usd LIMIT 3"
QUERY_TIMEOUT_MS = 60_000
"""For a busy machine."""
QUERY = f"## Query\n\n```sql\n{MOTORS}\n```"
ANSWER = "## Parts\n\n- `mg90s`: the cheapest with metal gears\n\n## Note\n\nprices are estimates"


def search_request(words: str, **changes: Any) -> CatalogSearchRequested:
    fields: dict[str, Any] = {"words": words, "model": "offline", **changes}
    return CatalogSearchRequested(id=uuid4(), run_id=uuid4(), role="engineer", producer="cad-worker", **fields)


async def found_for(database: Database, words: str, **changes: Any) -> tuple[CatalogFind, ...]:
    threads = threads_of(_searcher(database, bus := FakeBus()), RoleModel(lambda _: offline_chat()), bus)
    outcome = await threads.answer(search_request(words, **changes))
    assert isinstance(outcome, CatalogSearched)
    return outcome.found


async def ids_for(database: Database, words: str, **changes: Any) -> list[str]:
    return [find.id for find in await found_for(database, words, **changes)]


async def price_of(database: Database, words: str, quantity: int) -> tuple[str, float]:
    first = (await found_for(database, words, quantity=quantity))[0]
    return first.id, round(first.unit_price_usd, 6)


def _searcher(database: Database, bus: FakeBus) -> CatalogSearcher:
    return CatalogSearcher(bus, Catalog(database.engine, timeout_ms=QUERY_TIMEOUT_MS))


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("12 V, 1 N m, 5 rad/s", "gm25d-hp12-47"),
        ("12 V gear motor that gives 0.9 N m at 5 rad/s for hours", "gm37d-12v-131"),
        ("a 12 V gear motor with at least 1 N m for a moment, cheap", "gm25d-hp12-47"),
        ("a 6 V servo that holds 0.2 N m", "mg996r"),
        ("NEMA 17 stepper motor, at least 0.15 N m", "step-n17-40"),
        ("M4 20 mm", "iso4762-m4x20"),
        ("socket head screw M3x12", "iso4762-m3x12"),
        ("button head bolt M5x16", "bhcs-m5x16"),
        ("M6 nut", "nut-m6"),
        ("a 608 bearing", "608zz"),
        ("ball bearing, 5 mm bore", "brg-625"),
        ("a pinion with 20 teeth, module 1.5", "gear-m1.5-z20"),
        ("gear with 20 teeth, module 1, 5 mm bore", "gear-m1-z20-b5"),
        ("sprocket for 06B chain, 15 teeth", "spk-06b-z15"),
        ("a sprocket", "spk-05b-z12"),
        ("countersunk screw M4x12", "csk-m4x12"),
        ("hex head bolt M8x40", "hex-m8x40"),
        ("a toothed rack, module 1", "rack-m1-z40"),
        ("precision shaft 8 mm, 400 mm long", "rod-8x400"),
        ("compression spring", "spr-c-6x20"),
        ("2020 extrusion of 300 mm", "vslot2020-300"),
    ],
)
async def test_offline_search_finds_the_described_part(database: Database, words: str, first: str):
    found = await ids_for(database, words)
    assert found[0] == first
    assert len(found) <= 5


async def test_sufficient_continuous_torque_precedes_price(database: Database):
    assert await ids_for(database, "12 V motor, 0.9 N m, 5 rad/s", limit=4) == [
        "gm37d-12v-131",
        "gm37d-12v-150",
        "pololu-37d-150",
        "gm25d-hp12-47",
    ]


async def test_parts_have_the_price_of_their_quantity(database: Database):
    prices = [await price_of(database, "M4 20 mm", quantity=quantity) for quantity in (1, 99, 100, 5000)]
    assert prices == [("iso4762-m4x20", usd) for usd in (0.10, 0.10, 0.07, 0.05)]


async def test_unmatched_words_find_nothing(database: Database):
    assert await ids_for(database, "a warp field of unobtainium") == []


async def test_words_cannot_inject_sql(database: Database):
    assert await ids_for(database, "'; DROP TABLE part; -- quux 'x') | zork") == []
    assert await ids_for(database, "608 bearing") == ["608zz"]


async def run_search(database: Database, *script: str, **changes: Any) -> tuple[Event, list[Event], Any]:
    model, chat = scripted(*script)
    bus = FakeBus()
    opening = engineering_requested(model="scripted")
    await bus.publish(opening)
    request = search_request("a cheap motor", model=None, **changes).model_copy(update={"run_id": opening.run_id})
    await bus.publish(request)
    outcome = await threads_of(_searcher(database, bus), model, bus).answer(request)
    return outcome, await bus.history(opening.run_id), chat


def kinds(events: Sequence[Event], kind: type[Event]) -> int:
    return sum(isinstance(event, kind) for event in events)


async def test_model_gets_rows_and_answers_with_priced_parts(database: Database):
    outcome, history, chat = await run_search(database, QUERY, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    assert [(find.id, find.unit_price_usd, find.reason) for find in outcome.found] == [
        ("mg90s", 4.0, "the cheapest with metal gears")
    ]
    assert outcome.found[0].figures["stall_torque_n_m"] == 0.1765
    assert outcome.queries == (MOTORS,)
    assert "| byj-28 | 2 |" in last_prompt(chat)[-1][1]
    calls = [event for event in history if isinstance(event, ModelCalled)]
    assert [(call.role, call.model) for call in calls] == [("catalog", "scripted")] * 2


async def test_refused_query_is_shown_with_its_reason(database: Database):
    stolen = "## Query\n\n```sql\nSELECT * FROM log.events\n```"
    outcome, history, chat = await run_search(database, stolen, ANSWER, QUERY, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    queried = [event for event in history if isinstance(event, CatalogQueried)]
    assert [each.was_refused for each in queried] == [True, False]
    assert any("refused: schema log cannot be read" in text for _, text in last_prompt(chat))
    assert kinds(history, ReplyRejected) == 1, "an answer from a refused query"


async def test_invented_id_is_rejected_with_similar_ids(database: Database):
    invented = ANSWER.replace("mg90s", "mg91s")
    outcome, history, _ = await run_search(database, QUERY, invented, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    (rejected,) = [event for event in history if isinstance(event, ReplyRejected)]
    assert "`mg91s`" in rejected.problem
    assert "mg90s" in rejected.problem


@pytest.mark.parametrize(
    "query",
    [
        f"**Query**\n\n```sql\n{MOTORS}\n```",
        f"**Query:**\n```sql\n{MOTORS}\n```\n",
        f"### 1. SQL Query\n\n```postgresql\n{MOTORS}\n```",
        f"I look for the cheapest motors first.\n\n```sql\n{MOTORS}\n```",
        f"Query:\n\n```\n{MOTORS}\n```",
        f"## Query\n\n{MOTORS}",
    ],
)
async def test_query_is_read_in_any_clear_form(database: Database, query: str):
    outcome, history, _ = await run_search(database, query, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    assert outcome.queries == (MOTORS,)
    assert kinds(history, ReplyRejected) == 0


@pytest.mark.parametrize("answer", [ANSWER, "## Parts\n\nnone\n\n## Note\n\nnothing fits"])
async def test_answer_without_a_query_is_rejected(database: Database, answer: str):
    outcome, history, _ = await run_search(database, answer, QUERY, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    (rejected,) = [event for event in history if isinstance(event, ReplyRejected)]
    assert "Nothing was read" in rejected.problem
    assert outcome.queries == (MOTORS,)


@pytest.mark.parametrize(
    "unread",
    [
        ANSWER.replace("`mg90s`", "`mg996r`"),
        ANSWER.replace("metal gears", "metal gears, unlike mg996r"),
        ANSWER.replace("prices are estimates", "srv-ds3218's range is 180 degrees"),
    ],
)
async def test_product_that_no_row_has_shown_is_rejected_wherever_it_is_named(database: Database, unread: str):
    outcome, history, _ = await run_search(database, QUERY, unread, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    assert [find.id for find in outcome.found] == ["mg90s"]
    (rejected,) = [event for event in history if isinstance(event, ReplyRejected)]
    assert "No row that you have read names" in rejected.problem


async def test_rows_of_a_refused_query_or_without_the_id_prove_nothing(database: Database):
    nameless = QUERY.replace("part_id, from_usd", "name, from_usd")
    outcome, history, _ = await run_search(database, nameless, ANSWER, QUERY, ANSWER)
    assert isinstance(outcome, CatalogSearched)
    assert kinds(history, ReplyRejected) == 1
    assert len(outcome.queries) == 2


async def test_later_search_may_name_what_an_earlier_one_has_read(database: Database):
    model, _ = scripted(QUERY, ANSWER, ANSWER)
    bus = FakeBus()
    threads = threads_of(_searcher(database, bus), model, bus)
    first = search_request("a cheap motor")
    second = search_request("the same motor").model_copy(update={"run_id": first.run_id})
    for request in (first, second):
        await bus.publish(request)
        outcome = await threads.answer(request)
        assert isinstance(outcome, CatalogSearched)
    assert outcome.queries == ()


async def test_queries_and_tables_of_the_prompt_exist(database: Database):
    catalog = Catalog(database.engine, timeout_ms=QUERY_TIMEOUT_MS)
    prompt = PROMPTS["catalog/system"]
    tables = re.findall(r"^- `(\w+)\(([\w, ]+)\)`", prompt, re.MULTILINE)
    shown = [f"SELECT {columns} FROM {table} LIMIT 1" for table, columns in tables]
    for sql in (*shown, *re.findall(r"```sql\n(.*?)```", prompt, re.DOTALL)):
        assert (await catalog.query(sql)).rows, sql
    assert len(tables) == 9


async def test_search_ends_after_four_model_calls(database: Database):
    outcome, history, chat = await run_search(database, QUERY, QUERY, QUERY, QUERY)
    assert isinstance(outcome, CatalogSearchFailed)
    assert outcome.reason == "too_many_queries"
    assert kinds(history, CatalogQueried) == MAX_QUERIES
    assert kinds(history, ModelCalled) == MAX_QUERIES + 1
    assert "answer now" in last_prompt(chat)[-1][1]


async def test_malformed_replies_fail_the_search(database: Database):
    outcome, _, _ = await run_search(database, *["dunno"] * MAX_OF_ONE_CAUSE)
    assert isinstance(outcome, CatalogSearchFailed)
    assert outcome.reason == "model_failed"
    assert "## Parts" in outcome.detail
