"""Reviews: what the critic answered about plans, refusals, designs and benchmarks."""

from collections.abc import Iterator
from typing import Literal

from contracts.events.benchmark import BenchmarkPlanApproved, BenchmarkPlanRejected, DraftApproved, DraftRejected
from contracts.events.design import DesignApproved, DesignRejected
from contracts.events.plan import PlanApproved, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.outcomes import ReviewOutcome
from sqlalchemy import Index

from store.read_models.bulk_insert import Value
from store.read_models.columns import id_column, number_column, table, text_column, time_column, whole_column
from store.read_models.row import Projection, Projections, Row

REVIEWS = table(
    "reviews",
    id_column(),
    id_column("run_id", required=True),
    whole_column("sequence", required=True),
    id_column("reviewed_id"),
    *(text_column(name, required=True) for name in ("subject", "verdict", "review_md")),
    time_column("occurred_at"),
    *(whole_column(name) for name in ("evidence", "replicas", "reached")),
    number_column("success_rate"),
    indexes=(Index(None, "run_id", "sequence"),),
)
"""`reviewed_id`: the event that requested the review. `replicas`, `reached`, `success_rate`: of its reruns."""


def _review(subject: str, verdict: Literal["approved", "rejected", "upheld", "denied"]) -> Projection:
    def project(event: ReviewOutcome | PlanApproved, sequence: int) -> Iterator[Row]:
        values: dict[str, Value] = {
            "id": event.id,
            "run_id": event.run_id,
            "sequence": sequence,
            "reviewed_id": event.causation_id,
            "subject": subject,
            "verdict": verdict,
            "review_md": event.review_md,
            "occurred_at": event.occurred_at,
        }
        yield Row(REVIEWS, {**values, **_proof(event)})

    return project


def _proof(event: ReviewOutcome | PlanApproved) -> dict[str, Value]:
    if not isinstance(event, DesignApproved | DesignRejected):
        return {}
    counted: dict[str, Value] = {"evidence": len(event.evidence)}
    if isinstance(event, DesignApproved) and event.assessment is not None:
        of = event.assessment
        counted |= {"replicas": of.replicas, "reached": of.reached, "success_rate": of.success_rate}
    return counted


PROJECTIONS: Projections = {
    PlanApproved: _review("plan", "approved"),
    PlanRejected: _review("plan", "rejected"),
    RefusalUpheld: _review("refusal", "upheld"),
    RefusalDenied: _review("refusal", "denied"),
    DesignApproved: _review("design", "approved"),
    DesignRejected: _review("design", "rejected"),
    BenchmarkPlanApproved: _review("benchmark_plan", "approved"),
    BenchmarkPlanRejected: _review("benchmark_plan", "rejected"),
    DraftApproved: _review("draft", "approved"),
    DraftRejected: _review("draft", "rejected"),
}
