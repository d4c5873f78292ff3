"""Reviews of generated benchmarks: plans, and drafts with the certificates of their worlds."""

import pytest
from agent.model.role_model import Vision
from artifacts.testing import FakeArtifacts
from contracts.envelope import Event, answering, outcome_id
from contracts.events.benchmark import (
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkSessionRequested,
    DraftApproved,
    DraftCertified,
    DraftRejected,
)
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import CellRequested, SessionFailed
from contracts.events.simulation import FilmRequested

from tests.contracts.examples import full_examples
from tests.critic.critic_harness import CELL, CriticHarness
from tests.critic.test_pictures_and_documents import blocks, media_in

EXAMPLES = full_examples()
YES, NO = "VERDICT: APPROVE\n\n- clear", "VERDICT: REJECT\n\n- it solves itself"


def question_of(kind: type[Event]) -> Event:
    return EXAMPLES[kind].model_copy(update={"model": "scripted"})


def shown(harness: CriticHarness) -> str:
    """Return what the critic's model was shown last."""
    called = [event for event in harness.role.bus.events if isinstance(event, ModelCalled)]
    return "\n".join(message.text for message in called[-1].new_messages)


async def ask(harness: CriticHarness, question: Event) -> Event:
    """Return the critic's first decision on a plan, or on a draft in its kernel."""
    return await (harness.open_draft(question) if isinstance(question, DraftCertified) else harness.consume(question))


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
        outcome = await ask(CriticHarness(reply), question)
        assert type(outcome) is expected
        assert (outcome.id, getattr(outcome, "review_md", "")) == (outcome_id(question.id), reasons)


@pytest.mark.parametrize("kind", [BenchmarkPlanProposed, DraftCertified])
async def test_unclear_review_of_a_benchmark_is_asked_for_again(kind: type[Event]) -> None:
    harness = CriticHarness("I am not sure.", NO)
    rejected = await ask(harness, question_of(kind))
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
    await harness.open_draft(question)
    (certificate,) = question.worlds
    for text in (question.draft.files.environment_py, question.plan_md, certificate.without_machine):
        assert text.strip() in shown(harness)


async def test_draft_is_examined_in_cells_before_the_verdict() -> None:
    question = question_of(DraftCertified)
    assert isinstance(question, DraftCertified)
    harness = CriticHarness(CELL, NO)
    cell = await harness.open_draft(question)
    assert isinstance(cell, CellRequested)
    assert (cell.role, cell.producer) == ("critic", "critic")
    rejected = await harness.complete_cell(cell, counted=None, output="one ramp solves seed 101")
    assert isinstance(rejected, DraftRejected)
    assert "one ramp solves seed 101" in shown(harness)


async def test_weakest_witness_of_a_draft_is_shown_to_a_model_that_sees() -> None:
    question = question_of(DraftCertified)
    assert isinstance(question, DraftCertified)
    assert question.weakest is not None
    artifacts = FakeArtifacts()
    harness = CriticHarness(YES, vision=Vision(artifacts, takes_images=True), films=True)
    assert isinstance(await harness.open_draft(question, await media_in(artifacts)), DraftApproved)
    (film,) = [event for event in harness.role.bus.events if isinstance(event, FilmRequested)]
    assert (film.scene, film.trajectory_digest) == (question.weakest.scene, question.weakest.trajectory_digest)
    sent = blocks(harness.role.chat.conversations[-1][-1])
    assert [block["type"] for block in sent] == ["text", "text", "image", "text", "image"]
    assert "in the world of seed 0, in which the fewest replicas" in str(sent[0]["text"])


async def test_draft_without_a_kernel_is_not_decided() -> None:
    harness = CriticHarness(YES)
    session = await harness.consume(question_of(DraftCertified))
    assert isinstance(session, BenchmarkSessionRequested)
    failed = SessionFailed(**answering(session, "cad-worker"), reason="kernel_failed", detail="no memory")
    abandoned = await harness.consume(failed)
    assert isinstance(abandoned, WorkAbandoned)
    assert "no memory" in abandoned.detail
