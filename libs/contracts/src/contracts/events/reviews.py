"""The verdicts of the critic, which all have a review."""

from contracts.events.benchmark import BenchmarkPlanApproved, BenchmarkPlanRejected, DraftApproved, DraftRejected
from contracts.events.design import DesignApproved, DesignRejected
from contracts.events.plan import PlanApproved, PlanRejected, RefusalDenied, RefusalUpheld

Review = (
    PlanApproved
    | PlanRejected
    | RefusalUpheld
    | RefusalDenied
    | DesignApproved
    | DesignRejected
    | BenchmarkPlanApproved
    | BenchmarkPlanRejected
    | DraftApproved
    | DraftRejected
)
