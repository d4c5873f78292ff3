"""Lines of the events that decide about a run: request, environment, plan, design, end, dead letters."""

from contracts.events import dead_letters, design, plan, run

from documents.event_lines.event_line import (
    EventLine,
    bill_text,
    describe,
    register_failures,
    register_reviews,
    result_severity,
    result_text,
    spaced,
)
from documents.event_lines.text import counted, headline, limits_text


@describe.register
def _(event: run.EngineeringRequested) -> EventLine:
    assignment, variant = event.assignment, event.assignment.variant
    parts = [
        f"{variant.benchmark}, seed {variant.seed}, level {variant.level}",
        f"{counted(assignment.quantity, 'piece')}, {limits_text(assignment.limits)}",
        f"model {event.model}" + ("" if event.executor == "code" else f", executor {event.executor}"),
    ]
    if event.continues:
        parts.append(f"continues {event.continues.attempts[-1]}: {event.continues.says}")
    return EventLine("; ".join(parts))


@describe.register
def _(event: run.EngineeringQueued) -> EventLine:
    return EventLine(f"waits for one of {counted(event.slots, 'slot')}: {counted(event.ahead, 'run')} before it")


@describe.register
def _(_event: run.EngineeringStarted) -> EventLine:
    return EventLine("work begins", "detail")


@describe.register
def _(_event: run.EnvironmentRequested) -> EventLine:
    return EventLine("building environment", "detail")


@describe.register
def _(event: run.EnvironmentBuilt) -> EventLine:
    solids = counted(len(event.environment.solids), "solid")
    return EventLine(f"environment built: {solids}, {event.build_s:.1f} s", "success")


@describe.register
def _(event: run.WorldChecked) -> EventLine:
    return EventLine(f"world checked: {event.without_machine}", "success")


@describe.register
def _(event: run.CancelRequested) -> EventLine:
    return EventLine(f"cancellation requested: {event.reason}", "failure")


@describe.register
def _(event: run.RunSucceeded) -> EventLine:
    word, severity = ("SOLVED", "success") if event.result.is_proven else ("NOT PROVEN", "failure")
    return EventLine(f"{word}: {bill_text(event.bill)}; {result_text(event.result)}", severity)


@describe.register
def _(event: plan.PlanProposed) -> EventLine:
    return EventLine(f"plan with {counted(event.todo_md.count('- ['), 'task')}: {headline(event.plan_md)}")


@describe.register
def _(event: plan.PlanRefused) -> EventLine:
    evidence = ", ".join(f"{each.kind} {each.number}" for each in event.evidence)
    return EventLine(f"plan refused, evidence {evidence or 'none'}: {headline(event.proof_md)}", "failure")


@describe.register
def _(event: design.DesignSubmitted) -> EventLine:
    return EventLine(f"design submitted, digest {event.submission.digest[:12]}")


@describe.register
def _(event: design.DesignValidated) -> EventLine:
    return EventLine(f"design is valid: {bill_text(event.bill)}", "success")


@describe.register
def _(event: design.DesignInvalidated) -> EventLine:
    findings = [f"{finding.label} {spaced(finding.rule)}: {finding.detail}" for finding in event.findings]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return EventLine(f"design is invalid: {'; '.join(findings[:1])}{more}", "failure")


@describe.register
def _(event: design.DesignSimulated) -> EventLine:
    return EventLine(f"physics verdict: {result_text(event.result)}", result_severity(event.result))


@describe.register
def _(event: dead_letters.MessageAbandoned) -> EventLine:
    return EventLine(f"{event.consumer} abandoned a message ({spaced(event.reason)}): {event.detail}", "failure")


register_reviews(
    {
        plan.PlanApproved: "plan approved",
        plan.RefusalUpheld: "refusal upheld, planning again",
        design.DesignApproved: "design approved",
    },
    "success",
)
register_reviews(
    {
        plan.PlanRejected: "plan rejected",
        plan.RefusalDenied: "refusal denied, work continues",
        design.DesignRejected: "design rejected",
    },
    "failure",
)
register_failures(
    {
        run.EnvironmentRefused: "environment cannot be used",
        run.WorldRefused: "world cannot be used",
        run.RunFailed: "FAILED",
        dead_letters.WorkAbandoned: "work abandoned",
    }
)
