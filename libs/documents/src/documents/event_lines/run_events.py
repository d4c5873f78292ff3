"""Lines of the events that decide about a run: request, environment, plan, design, end, dead letters."""

from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.run import (
    CancelRequested,
    EngineeringQueued,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
    WorldChecked,
    WorldRefused,
)

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
def _(event: EngineeringRequested) -> EventLine:
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
def _(event: EngineeringQueued) -> EventLine:
    return EventLine(f"waits for one of {counted(event.slots, 'slot')}: {counted(event.ahead, 'run')} before it")


@describe.register
def _(_event: EngineeringStarted) -> EventLine:
    return EventLine("work begins", "detail")


@describe.register
def _(_event: EnvironmentRequested) -> EventLine:
    return EventLine("building environment", "detail")


@describe.register
def _(event: EnvironmentBuilt) -> EventLine:
    solids = counted(len(event.environment.solids), "solid")
    return EventLine(f"environment built: {solids}, {event.build_s:.1f} s", "success")


@describe.register
def _(event: WorldChecked) -> EventLine:
    return EventLine(f"world checked: {event.without_machine}", "success")


@describe.register
def _(event: CancelRequested) -> EventLine:
    return EventLine(f"cancellation requested: {event.reason}", "failure")


@describe.register
def _(event: RunSucceeded) -> EventLine:
    word, severity = ("SOLVED", "success") if event.result.is_proven else ("NOT PROVEN", "failure")
    return EventLine(f"{word}: {bill_text(event.bill)}; {result_text(event.result)}", severity)


@describe.register
def _(event: PlanProposed) -> EventLine:
    return EventLine(f"plan with {counted(event.todo_md.count('- ['), 'task')}: {headline(event.plan_md)}")


@describe.register
def _(event: PlanRefused) -> EventLine:
    evidence = ", ".join(f"{each.kind} {each.number}" for each in event.evidence)
    return EventLine(f"plan refused, evidence {evidence or 'none'}: {headline(event.proof_md)}", "failure")


@describe.register
def _(event: DesignSubmitted) -> EventLine:
    return EventLine(f"design submitted, digest {event.submission.digest[:12]}")


@describe.register
def _(event: DesignValidated) -> EventLine:
    return EventLine(f"design is valid: {bill_text(event.bill)}", "success")


@describe.register
def _(event: DesignInvalidated) -> EventLine:
    findings = [f"{finding.label} {spaced(finding.rule)}: {finding.detail}" for finding in event.findings]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return EventLine(f"design is invalid: {'; '.join(findings[:1])}{more}", "failure")


@describe.register
def _(event: DesignSimulated) -> EventLine:
    return EventLine(f"physics verdict: {result_text(event.result)}", result_severity(event.result))


@describe.register
def _(event: MessageAbandoned) -> EventLine:
    return EventLine(f"{event.consumer} abandoned a message ({spaced(event.reason)}): {event.detail}", "failure")


register_reviews(
    {
        PlanApproved: "plan approved",
        RefusalUpheld: "refusal upheld, planning again",
        DesignApproved: "design approved",
    },
    "success",
)
register_reviews(
    {
        PlanRejected: "plan rejected",
        RefusalDenied: "refusal denied, work continues",
        DesignRejected: "design rejected",
    },
    "failure",
)
register_failures(
    {
        EnvironmentRefused: "environment cannot be used",
        WorldRefused: "world cannot be used",
        RunFailed: "FAILED",
        WorkAbandoned: "work abandoned",
    }
)
