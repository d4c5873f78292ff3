"""A refused plan: only what happened proves anything; critic judges, and planner may plan again."""

from contracts.envelope import Event
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignSubmitted
from contracts.events.plan import PlanApproved, PlanRefused, RefusalDenied
from contracts.events.session import CellRequested, SessionRequested
from contracts.models.submission import Refusal

from tests.agent.role_harness import seen_by
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import Walk, cell, plan_approved

REFUSE = cell("refuse_plan(proof)", purpose="refuse")


async def refusing(proof: str, *more: str, **budget: int) -> tuple[Walk, list[Event]]:
    """Return a walk with two cells and three simulations, and what its refusal leads to."""
    walk = Walk(cell("a", purpose="look"), cell("simulate(a)", purpose="try"), REFUSE, *more)
    (first,) = await walk.begin(**budget)
    *_, second = await walk.observe(first, "the goal lies above", simulations=1)
    *_, refuse = await walk.observe(second, "it fell twice", simulations=2)
    return walk, await walk.observe(refuse, ending=Refusal(proof=proof))


async def test_refusal_names_its_cited_events() -> None:
    walk, (refused,) = await refusing("See [cell 1], [simulation 3] and [cell 1] again.")
    assert isinstance(refused, PlanRefused)
    cited = [(each.kind, each.number, each.told.partition(": ")[2]) for each in refused.evidence]
    assert cited == [("cell", 1, "the goal lies above"), ("simulation", 3, "it fell twice")]
    completed = [event.id for event in walk.bus.events if event.type == "CellCompleted"]
    assert [each.event_id for each in refused.evidence] == completed[:2]
    assert (refused.plan_md, refused.model) == (values.PLAN, "scripted")
    assert walk.chat.calls == 3


async def test_proof_without_evidence_is_not_passed_on() -> None:
    for proof, told in (
        ("[cell 1] and [cell 9] and [simulation 4]", "cites [cell 9], [simulation 4]"),
        ("[cell 3] is this very cell", "cites [cell 3]"),
        ("because", "cites nothing"),
    ):
        walk, decided = await refusing(proof, cell("go on"))
        assert [type(event) for event in decided][-1:] == [CellRequested]
        assert told in seen_by(walk.chat)[-1][1]
        assert not [event for event in walk.bus.events if isinstance(event, PlanRefused)]


async def test_observation_shows_its_citable_numbers() -> None:
    walk, _ = await refusing("[cell 1]")
    told = [text.splitlines()[0] for _, text in seen_by(walk.chat) if text.startswith("# Observation")]
    assert told == ["# Observation of cell 1, simulation 1", "# Observation of cell 2, simulations 2 to 3"]


async def test_denied_refusal_counts_as_a_rejection() -> None:
    walk, (refused,) = await refusing("[cell 1]", REFUSE, max_rejections=1)
    denied = RefusalDenied.answering(refused, "critic", review_md="a cheaper motor exists")
    *_, again = await walk.hear(denied)
    assert "a cheaper motor exists" in seen_by(walk.chat)[-1][1]
    (refused,) = await walk.observe(again, ending=Refusal(proof="[cell 2]"))
    assert isinstance(refused, PlanRefused)
    (abandoned,) = await walk.hear(RefusalDenied.answering(refused, "critic", review_md="still"))
    assert isinstance(abandoned, WorkAbandoned)
    assert abandoned.reason == "refused"
    assert "still" in abandoned.detail


async def second_plan(walk: Walk, refused: Event) -> PlanApproved:
    """Return planner's answer to a refusal that was upheld."""
    return plan_approved().model_copy(
        update={"run_id": refused.run_id, "plan_md": "## Plan\n\nA lift instead.\n", "todo_md": "- [ ] T1: lift\n"}
    )


async def test_second_plan_continues_session_and_conversation() -> None:
    walk, (refused,) = await refusing("[cell 1]", cell("lift()"), cell("submit_for_review(assembly)"))
    plan = await second_plan(walk, refused)
    (session,) = await walk.hear(plan)
    assert isinstance(session, SessionRequested)
    assert (session.plan_md, session.todo_md) == (plan.plan_md, plan.todo_md)
    *_, action = await walk.opened(session)
    kinds, texts = zip(*seen_by(walk.chat), strict=True)
    assert (kinds[0], kinds.count("system")) == ("system", 1)
    assert "A lift instead." in texts[-1]
    assert any("it fell twice" in text for text in texts)
    (hand_in,) = await walk.observe(action)
    (submitted,) = await walk.observe(hand_in, ending=values.SUBMISSION)
    assert isinstance(submitted, DesignSubmitted)
