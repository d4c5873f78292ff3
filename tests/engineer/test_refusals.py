"""Tests of refused plans: a proof must cite events of the run, and a second plan may follow."""

from contracts.envelope import Event, answering
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.plan import PlanApproved, PlanRefused, RefusalDenied
from contracts.events.session import CellRequested, SessionRequested
from contracts.models.submission import Refusal

from tests.agent.role_harness import last_prompt
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, plan_approved

REFUSE = cell_reply("refuse_plan(proof)", purpose="refuse")


async def refusing(proof: str, *more: str, **budget: int) -> tuple[EngineerHarness, list[Event]]:
    """Return a harness with two cells and three simulations, and what its refusal leads to."""
    harness = EngineerHarness(cell_reply("a", purpose="look"), cell_reply("simulate(a)", purpose="try"), REFUSE, *more)
    (first,) = await harness.start(**budget)
    *_, second = await harness.complete_cell(first, "the goal is above", simulations=1)
    *_, refuse = await harness.complete_cell(second, "it fell twice", simulations=2)
    return harness, await harness.complete_cell(refuse, ending=Refusal(proof=proof))


async def test_refusal_names_its_cited_events() -> None:
    harness, (refused,) = await refusing("See [cell 1], [simulation 3] and [cell 1] again.")
    assert isinstance(refused, PlanRefused)
    cited = [(each.kind, each.number, each.told.partition(": ")[2]) for each in refused.evidence]
    assert cited == [("cell", 1, "the goal is above"), ("simulation", 3, "it fell twice")]
    completed = [event.id for event in harness.bus.events if event.type == "CellCompleted"]
    assert [each.event_id for each in refused.evidence] == completed[:2]
    assert (refused.plan_md, refused.model) == (values.PLAN, "scripted")
    assert harness.chat.calls == 3


async def test_proof_without_evidence_is_not_passed_on() -> None:
    for proof, problem in (
        ("[cell 1] and [cell 9] and [simulation 4]", "cites [cell 9], [simulation 4]"),
        ("[cell 3] is this very cell", "cites [cell 3]"),
        ("because", "cites nothing"),
    ):
        harness, decided = await refusing(proof, cell_reply("go on"))
        assert [type(event) for event in decided][-1:] == [CellRequested]
        assert problem in last_prompt(harness.chat)[-1][1]
        assert not [event for event in harness.bus.events if isinstance(event, PlanRefused)]


async def test_observation_shows_its_citable_numbers() -> None:
    harness, _ = await refusing("[cell 1]")
    headings = [text.splitlines()[0] for _, text in last_prompt(harness.chat) if text.startswith("# Observation")]
    assert headings == ["# Observation of cell 1, simulation 1", "# Observation of cell 2, simulations 2 to 3"]


async def test_denied_refusal_counts_as_a_rejection() -> None:
    harness, (refused,) = await refusing("[cell 1]", REFUSE, max_rejections=1)
    denied = RefusalDenied(**answering(refused, "critic"), review_md="a cheaper motor exists")
    *_, again = await harness.consume(denied)
    assert "a cheaper motor exists" in last_prompt(harness.chat)[-1][1]
    (refused,) = await harness.complete_cell(again, ending=Refusal(proof="[cell 2]"))
    assert isinstance(refused, PlanRefused)
    (abandoned,) = await harness.consume(RefusalDenied(**answering(refused, "critic"), review_md="still"))
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "refused"
    assert abandoned.detail.startswith("[cell 2]. After 2 rejections by the critic"), "the proof comes first"
    assert "still" in abandoned.detail


async def second_plan(harness: EngineerHarness, refused: Event) -> PlanApproved:
    """Return planner's answer to a refusal that was upheld."""
    return plan_approved().model_copy(
        update={"run_id": refused.run_id, "plan_md": "## Plan\n\nA lift instead.\n", "todo_md": "- [ ] T1: lift\n"}
    )


async def test_second_plan_continues_session_and_conversation() -> None:
    harness, (refused,) = await refusing("[cell 1]", cell_reply("lift()"), cell_reply("submit_for_review(assembly)"))
    plan = await second_plan(harness, refused)
    (session,) = await harness.consume(plan)
    assert isinstance(session, SessionRequested)
    assert (session.plan_md, session.todo_md) == (plan.plan_md, plan.todo_md)
    *_, action = await harness.open_session(session)
    kinds, texts = zip(*last_prompt(harness.chat), strict=True)
    assert (kinds[0], kinds.count("system")) == ("system", 1)
    assert "A lift instead." in texts[-1]
    assert any("it fell twice" in text for text in texts)
    (hand_in,) = await harness.complete_cell(action)
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)
