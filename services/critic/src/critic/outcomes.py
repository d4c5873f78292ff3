"""Outcomes of the critic's questions."""

from contracts.envelope import Event, answering
from contracts.events.benchmark import (
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    DraftApproved,
    DraftCertified,
    DraftRejected,
)
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved, DesignRejected, DesignSimulated
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.session import SessionFailed

from critic.measured_review import measured_review
from critic.notes import Examined, Question
from critic.verdict import Verdict


def outcome(question: Question, verdict: Verdict) -> Event:
    """Return the verdict as the question's outcome."""
    match question:
        case PlanProposed():
            return _on_plan(question, verdict)
        case PlanRefused():
            return _on_refusal(question, verdict)
        case DesignSimulated():
            return _on_design(question, verdict)
        case BenchmarkPlanProposed():
            return _on_benchmark_plan(question, verdict)
        case DraftCertified():
            return _on_draft(question, verdict)


def rejected_by_physics(question: DesignSimulated) -> DesignRejected:
    """Return the outcome for a design that the simulation has not proven: its measured findings, and no opinion."""
    return DesignRejected(**answering(question, "critic"), review_md=measured_review(question.result))


def no_review(question: Question, detail: str) -> WorkAbandoned:
    """Return the outcome if the model gave no usable review: no answer must count as approval."""
    return WorkAbandoned(**answering(question, "critic"), reason="model_failed", detail=detail)


def no_kernel(question: Examined, failed: SessionFailed) -> WorkAbandoned:
    """Return the outcome if the kernel did not start: the critic decides nothing about what it cannot examine."""
    detail = f"the critic got no kernel for its review ({failed.reason}): {failed.detail}"
    return WorkAbandoned(**answering(question, "critic"), reason="session_failed", detail=detail)


def _on_plan(asked: PlanProposed, verdict: Verdict) -> PlanApproved | PlanRejected:
    if not verdict.is_positive:
        return PlanRejected(**answering(asked, "critic"), review_md=verdict.review_md)
    return PlanApproved(
        **answering(asked, "critic"),
        assignment=asked.assignment,
        budget=asked.budget,
        model=asked.model,
        executor=asked.executor,
        continues=asked.continues,
        environment=asked.environment,
        plan_md=asked.plan_md,
        todo_md=asked.todo_md,
        review_md=verdict.review_md,
    )


def _on_refusal(question: PlanRefused, verdict: Verdict) -> RefusalUpheld | RefusalDenied:
    if verdict.is_positive:
        return RefusalUpheld(**answering(question, "critic"), review_md=verdict.review_md, proof_md=question.proof_md)
    return RefusalDenied(**answering(question, "critic"), review_md=verdict.review_md)


def _on_design(question: DesignSimulated, verdict: Verdict) -> DesignApproved | DesignRejected:
    if not verdict.is_positive:
        return DesignRejected(**answering(question, "critic"), review_md=verdict.review_md, evidence=verdict.evidence)
    return DesignApproved(
        **answering(question, "critic"),
        review_md=verdict.review_md,
        evidence=verdict.evidence,
        assessment=verdict.assessment,
        delivery=question.delivery,
        bill=question.bill,
        result=question.result,
    )


def _on_benchmark_plan(
    question: BenchmarkPlanProposed, verdict: Verdict
) -> BenchmarkPlanApproved | BenchmarkPlanRejected:
    if verdict.is_positive:
        return BenchmarkPlanApproved(**answering(question, "critic"), review_md=verdict.review_md)
    return BenchmarkPlanRejected(**answering(question, "critic"), review_md=verdict.review_md)


def _on_draft(question: DraftCertified, verdict: Verdict) -> DraftApproved | DraftRejected:
    if verdict.is_positive:
        return DraftApproved(**answering(question, "critic"), review_md=verdict.review_md)
    return DraftRejected(**answering(question, "critic"), review_md=verdict.review_md)
