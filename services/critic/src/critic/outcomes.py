"""From a verdict to the outcome of what was asked."""

from contracts.envelope import Event
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved, DesignRejected, DesignSimulated
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.session import SessionFailed

from critic.notes import Question
from critic.verdict import Verdict


def outcome(question: Question, verdict: Verdict) -> Event:
    """Return critic's word as the question's outcome."""
    match question:
        case PlanProposed():
            return _on_plan(question, verdict)
        case PlanRefused():
            return _on_refusal(question, verdict)
        case DesignSimulated():
            return _on_design(question, verdict)


def no_review(question: Question, detail: str) -> WorkAbandoned:
    """Return that the model could not be understood: nobody must read silence as approval."""
    return WorkAbandoned.answering(question, "critic", reason="model_failed", detail=detail)


def no_kernel(question: DesignSimulated, failed: SessionFailed) -> WorkAbandoned:
    """Return that a design could not be reviewed: without reruns of its own critic approves nothing, and a design is
    not to blame for a kernel that did not start."""
    detail = f"critic got no kernel to review the design in ({failed.reason}): {failed.detail}"
    return WorkAbandoned.answering(question, "critic", reason="session_failed", detail=detail)


def _on_plan(asked: PlanProposed, verdict: Verdict) -> PlanApproved | PlanRejected:
    if not verdict.says_yes:
        return PlanRejected.answering(asked, "critic", review_md=verdict.review_md)
    return PlanApproved.answering(asked, "critic", **dict(asked.run_fields()), review_md=verdict.review_md)


def _on_refusal(asked: PlanRefused, verdict: Verdict) -> RefusalUpheld | RefusalDenied:
    if verdict.says_yes:
        return RefusalUpheld.answering(asked, "critic", review_md=verdict.review_md)
    return RefusalDenied.answering(asked, "critic", review_md=verdict.review_md)


def _on_design(asked: DesignSimulated, verdict: Verdict) -> DesignApproved | DesignRejected:
    if not verdict.says_yes:
        return DesignRejected.answering(asked, "critic", review_md=verdict.review_md, evidence=verdict.evidence)
    return DesignApproved.answering(
        asked,
        "critic",
        review_md=verdict.review_md,
        evidence=verdict.evidence,
        delivery=asked.delivery,
        bill=asked.bill,
        result=asked.result,
    )
