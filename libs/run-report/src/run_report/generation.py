"""What the report of a generated benchmark is made of."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPublished,
    BenchmarkRequested,
    GenerationFailed,
    WorldCertificate,
)
from documents.event_lines.event_line import spaced
from documents.event_lines.text import counted

from run_report.tables import RunVerdict, effort_text

WORLD_COLUMNS = ("seed", "without a machine", "replicas", "reached after s", "parts", "mass kg", "price USD")
End = BenchmarkPublished | GenerationFailed


def end_of_generation(events: Sequence[Event]) -> End | None:
    """Return the end; None while the run is in work."""
    return next((event for event in events if isinstance(event, BenchmarkPublished | GenerationFailed)), None)


def generation_title(events: Sequence[Event]) -> str:
    """Return the title of the benchmark: as published, else of its last draft, else the task."""
    end = end_of_generation(events)
    if isinstance(end, BenchmarkPublished):
        return end.title
    drafts = [event.draft.title for event in events if isinstance(event, BenchmarkDrafted)]
    request = events[0]
    task = request.brief.task if isinstance(request, BenchmarkRequested) else ""
    return drafts[-1] if drafts else task.strip() or "A benchmark of the generator's choice"


def generation_verdict(events: Sequence[Event]) -> RunVerdict:
    """Return what came of it."""
    match end_of_generation(events):
        case BenchmarkPublished():
            return RunVerdict("published", "good")
        case GenerationFailed(reason=reason, detail=detail):
            return RunVerdict("failed", "bad", f"{spaced(reason)}: {detail}")
        case None:
            return RunVerdict("in work", "note")


def generation_facts(events: Sequence[Event]) -> list[tuple[str, str]]:
    """Return name and value of what was certified."""
    end = end_of_generation(events)
    if not isinstance(end, BenchmarkPublished):
        return []
    rates = [world.success_rate for world in end.worlds]
    worlds = f"{counted(len(end.worlds), 'world')}, in the hardest {min(rates):.0%} of replicas" if rates else "none"
    return [("benchmark", f"{end.name}, level {end.level}"), ("certified", worlds), ("drafts", str(end.drafts))]


def generation_request(request: BenchmarkRequested, events: Sequence[Event]) -> list[tuple[str, str]]:
    """Return name and value of what was asked, and what it took."""
    brief, last = request.brief, end_of_generation(events) or events[-1]
    duration_s = (last.occurred_at - request.occurred_at).total_seconds()
    return [
        ("task", brief.task or "none: the generator chose"),
        ("level", str(brief.level)),
        ("to certify", f"{counted(brief.worlds, 'world')} with {brief.replicas} replicas each"),
        ("model", request.model),
        ("effort", effort_text(events, duration_s)),
        ("started", f"{request.occurred_at:%Y-%m-%d %H:%M} UTC"),
        ("run", str(request.run_id)),
    ]


def witness_of(events: Sequence[Event]) -> str:
    """Return the script of the last draft's witness; empty without any."""
    drafts = [event.draft.files.witness_py for event in events if isinstance(event, BenchmarkDrafted)]
    return drafts[-1] if drafts else ""


def world_rows(worlds: Sequence[WorldCertificate]) -> tuple[tuple[str, ...], ...]:
    """Return a row of `WORLD_COLUMNS` for each certified world."""
    return tuple(
        (
            str(each.seed),
            each.without_machine,
            f"{each.success_rate:.0%} of {each.replicas}",
            f"{each.reached_after_s:.2f}",
            str(each.parts),
            f"{each.mass_kg:.3f}",
            f"{each.unit_price_usd:.2f}",
        )
        for each in worlds
    )
