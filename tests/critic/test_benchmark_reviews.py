"""Reviews of generated benchmarks: plans, and drafts with the certificates of their worlds."""

import pytest
from contracts.envelope import Event, outcome_id
from contracts.events.benchmark import (
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    DraftApproved,
    DraftCertified,
    DraftRejected,
)
from contracts.events.conversation import ModelCalled, ReplyRejected

from tests.contracts.examples import full_examples
from tests.critic.critic_harness import CriticHarness

EXAMPLES = full_examples()
YES, NO = "VERDICT: APPROVE\n\n- clear", "VERDICT: REJECT\n\n- it solves itself"


def question_of(kind: type[Event]) -> Event:
    return EXAMPLES[kind].model_copy(update={"model": "scripted"})


def shown(harness: CriticHarness) -> str:
    """Return what the critic's model was shown last."""
    called = [event for event in harness.role.bus.events if isinstance(event, ModelCalled)]
    return "\n".join(message.text for message in called[-1].new_messages)


@pytest.mark.parametrize(
    ("kind", "approved", "rejected"),
    [
        (BenchmarkPlanProposed, BenchmarkPlanApproved, BenchmarkPlanRejected),
        (DraftCertified, DraftApproved, DraftRejected),
    ],
)
async def test_benchmark_is_approved_or_rejected_with_reasons(
    kind: type[Event], approved: type[Event], rejected: type[Event]
) -> None:
    question = question_of(kind)
    for reply, expected, reasons in ((YES, approved, "- clear"), (NO, rejected, "- it solves itself")):
        outcome = await CriticHarness(reply).consume(question)
        assert type(outcome) is expected
        assert (outcome.id, getattr(outcome, "review_md", "")) == (outcome_id(question.id), reasons)


@pytest.mark.parametrize("kind", [BenchmarkPlanProposed, DraftCertified])
async def test_unclear_review_of_a_benchmark_is_asked_for_again(kind: type[Event]) -> None:
    harness = CriticHarness("I am not sure.", NO)
    rejected = await harness.consume(question_of(kind))
    assert isinstance(rejected, ReplyRejected)
    assert isinstance(await harness.consume(rejected), BenchmarkPlanRejected | DraftRejected)


async def test_critic_sees_the_plan_of_a_benchmark_and_what_it_is_for() -> None:
    question = question_of(BenchmarkPlanProposed)
    assert isinstance(question, BenchmarkPlanProposed)
    harness = CriticHarness(YES)
    await harness.consume(question)
    assert question.plan_md.strip() in shown(harness)
    assert question.brief.task.strip() in shown(harness)


async def test_critic_sees_the_files_of_a_draft_and_the_figures_of_its_worlds() -> None:
    question = question_of(DraftCertified)
    assert isinstance(question, DraftCertified)
    harness = CriticHarness(YES)
    await harness.consume(question)
    (certificate,) = question.worlds
    for text in (question.draft.files.environment_py, question.plan_md, certificate.without_machine):
        assert text.strip() in shown(harness)
