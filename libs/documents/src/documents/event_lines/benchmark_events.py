"""Lines of the events of a generated benchmark."""

from contracts.events import benchmark

from documents.event_lines.event_line import EventLine, describe, register_failures, register_reviews
from documents.event_lines.text import counted, headline


@describe.register
def _(event: benchmark.BenchmarkRequested) -> EventLine:
    brief = event.brief
    return EventLine(f"benchmark of level {brief.level}, number {brief.seed}, model {event.model}: {brief.task}")


@describe.register
def _(event: benchmark.BenchmarkPlanProposed) -> EventLine:
    return EventLine(f"plan of a benchmark: {headline(event.plan_md.partition('## Task')[2] or event.plan_md)}")


@describe.register
def _(_event: benchmark.BenchmarkSessionRequested) -> EventLine:
    return EventLine("kernel requested", "detail")


@describe.register
def _(event: benchmark.CertificationRequested) -> EventLine:
    seeds = ", ".join(str(world.seed) for world in event.worlds)
    return EventLine(f"test: {counted(len(event.worlds), 'world')} built, the witness is valid in each (seeds {seeds})")


@describe.register
def _(event: benchmark.CertificationCompleted) -> EventLine:
    if not event.findings:
        return EventLine(f"test: {counted(len(event.worlds), 'world')} certified", "success")
    first = event.findings[0]
    return EventLine(f"test: seed {first.seed} refused, {first.stage}: {headline(first.detail)}", "failure")


@describe.register
def _(event: benchmark.BenchmarkDrafted) -> EventLine:
    return EventLine(f"draft {event.number} submitted: {event.draft.name}")


@describe.register
def _(event: benchmark.DraftBuilt) -> EventLine:
    moves = ", something moves" if event.has_motion else ""
    return EventLine(f"{counted(len(event.worlds), 'world')} built, the witness is valid in each{moves}", "success")


@describe.register
def _(event: benchmark.DraftRefused) -> EventLine:
    first = event.findings[0]
    more = f" (and {len(event.findings) - 1} more)" if len(event.findings) > 1 else ""
    return EventLine(f"draft refused, seed {first.seed}, {first.stage}: {headline(first.detail)}{more}", "failure")


@describe.register
def _(event: benchmark.DraftCertified) -> EventLine:
    least = min(world.success_rate for world in event.worlds)
    text = f"{counted(len(event.worlds), 'world')} certified, at least {least:.0%} of the replicas"
    return EventLine(text, "success")


@describe.register
def _(event: benchmark.BenchmarkPublished) -> EventLine:
    return EventLine(f"PUBLISHED: {event.name}, {event.title}, {counted(event.drafts, 'draft')}", "success")


register_reviews(
    {benchmark.BenchmarkPlanApproved: "plan approved", benchmark.DraftApproved: "draft approved"}, "success"
)
register_reviews(
    {benchmark.BenchmarkPlanRejected: "plan rejected", benchmark.DraftRejected: "draft rejected"}, "failure"
)
register_failures({benchmark.GenerationFailed: "FAILED"})
