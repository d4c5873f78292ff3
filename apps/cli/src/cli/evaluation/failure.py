"""The class of a failure: what a run lacked, from its recorded events."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from contracts.envelope import Event
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed
from contracts.models.design import BuiltInWorkbenchRule, Finding

FailureClass = Literal["plan", "geometry", "manufacturability", "physics", "budget", "model", "system"]
"""`system`: the run ended for a reason that is not the agents': an invalid benchmark, a lost kernel, a cancellation."""

BUDGET_REASONS = frozenset({"steps_exhausted", "tokens_exhausted", "money_exhausted", "deadline"})
PLAN_REASONS = frozenset({"plan_rejected", "refused"})
DESIGN_REASONS = frozenset({"design_rejected", "single_pass_failed"})
MAKING_RULES = frozenset(
    {
        *get_args(BuiltInWorkbenchRule),
        "missing_method",
        "missing_material",
        "unknown_material",
        "unknown_tolerance",
        "over_price",
        "over_mass",
        "too_many_parts",
    }
)
"""Rules of whether a design can be made, and within its limits, beside those of other packages, which have a dot; all
others are about its geometry or its documents."""
DOCUMENT_RULES = frozenset({"open_todo_item", "missing_journal_entry", "malformed_document"})


def failure_class(end: RunFailed, events: Iterable[Event]) -> FailureClass:
    """Return why a run failed; `events` are those of the run in order.

    A run that gave up its designs failed where the last of them did. One that was never judged failed in its geometry.
    """
    if end.reason in BUDGET_REASONS:
        return "budget"
    if end.reason in PLAN_REASONS:
        return "plan"
    if end.reason == "model_failed":
        return "model"
    return last_design_failure(events) or "geometry" if end.reason in DESIGN_REASONS else "system"


def last_design_failure(events: Iterable[Event]) -> FailureClass | None:
    """Return where the last judged design failed; None if none was judged, or the last one was sound and robust."""
    last: FailureClass | None = None
    for event in events:
        if isinstance(event, DesignInvalidated):
            last = _class_of_findings([each for each in event.findings if each.severity == "error"])
        elif isinstance(event, DesignSimulated):
            last = None if event.result.is_proven else "physics"
        elif isinstance(event, DesignRejected | SimulationFailed):
            last = "physics"
    return last


def _class_of_findings(findings: Sequence[Finding]) -> FailureClass:
    """Return the class that has to be put right first: geometry, then making, then documents."""
    rules = {each.rule for each in findings}
    making = {rule for rule in rules if rule in MAKING_RULES or "." in rule}
    if rules - making - DOCUMENT_RULES:
        return "geometry"
    return "manufacturability" if making else "plan"
