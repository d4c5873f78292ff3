"""The account of a run that generates a benchmark: its worlds, their certificate and what the critic wrote of it."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    DraftApproved,
    DraftCertified,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
    WorldCertificate,
)
from contracts.models.benchmark import Variant
from contracts.text import counted, one_line, spaced
from viewer.drawings import drawings_of

from run_report.account import Outcome, RunAccount, Section, effort_text, file_name
from run_report.blocks import Drawings, Prose, TextTable

ARCHIVE = "benchmark.zip"
WORLD_COLUMNS = ("seed", "without a machine", "replicas", "reached after s", "parts", "mass kg", "price USD")
REFUSAL_COLUMNS = ("stage", "seed", "detail")
TITLE_CHARS = 160
Review = DraftApproved | DraftRejected | BenchmarkPlanRejected
End = BenchmarkPublished | GenerationFailed


def generation_account(request: BenchmarkRequested, events: Sequence[Event]) -> RunAccount:
    """Return the account of a run that `request` opened."""
    end = next((event for event in events if isinstance(event, BenchmarkPublished | GenerationFailed)), None)
    drafted = [event for event in events if isinstance(event, BenchmarkDrafted)]
    draft = drafted[-1].draft if drafted else None
    published = end if isinstance(end, BenchmarkPublished) else None
    task = one_line(request.brief.task, TITLE_CHARS) or "a benchmark of the generator's choice"
    return RunAccount(
        events=events,
        name=file_name(request.run_id, draft.name if draft else "benchmark"),
        title=draft.title if draft else task,
        outcome=_outcome(end, len(drafted)),
        is_open=end is None,
        facts=[] if published is None else _facts(published),
        requested=_requested(request, events, end),
        sections=_sections(events, draft.variants if draft else ()),
        script=draft.files.witness_py if draft else "",
        script_name="witness.py",
        stored={} if published is None else {ARCHIVE: published.files},
        written=_written(events, drafted[-1] if drafted and published is None else None),
    )


def _outcome(end: End | None, drafts: int) -> Outcome:
    match end:
        case BenchmarkPublished(name=name, worlds=worlds):
            rates = [world.success_rate for world in worlds]
            least = f", in the hardest with {min(rates):.0%} of the replicas" if rates else ""
            detail = f"{name}, which its witness solves in {counted(len(worlds), 'certified world')}{least}"
            return Outcome("published", "good", detail)
        case GenerationFailed(reason=reason, detail=detail):
            return Outcome(
                "failed", "bad", f"{spaced(reason)}: {detail.rstrip('.')}. {counted(drafts, 'draft')} written."
            )
        case None:
            return Outcome("in work", "note", f"{counted(drafts, 'draft')} written")


def _facts(published: BenchmarkPublished) -> list[tuple[str, str]]:
    prices = [world.unit_price_usd for world in published.worlds]
    return [
        ("benchmark", f"{published.name}, level {published.level}"),
        ("moves", "something of the environment" if published.has_motion else "nothing of the environment"),
        ("witness", f"{min(prices):.2f} to {max(prices):.2f} USD" if prices else "not priced"),
        ("drafts", str(published.drafts)),
    ]


def _requested(request: BenchmarkRequested, events: Sequence[Event], end: End | None) -> list[tuple[str, str]]:
    brief = request.brief
    return [
        ("task", one_line(brief.task, TITLE_CHARS) or "none: the generator chose"),
        ("level", str(brief.level)),
        ("to certify", f"{counted(brief.worlds, 'world')} with {brief.replicas} replicas each"),
        ("model", request.model),
        ("effort", effort_text(events, end)),
        ("started", f"{request.occurred_at:%Y-%m-%d %H:%M} UTC"),
        ("run", str(request.run_id)),
    ]


def _sections(events: Sequence[Event], variants: Sequence[Variant]) -> list[Section]:
    """Return the world, its certificate or why it has none, and the critic's last words."""
    sections: list[Section] = []
    if variants:
        sections.append(Drawings(tuple(drawings_of(variants[0])), f"The world of seed {variants[0].seed}"))
    for event in reversed(events):
        if isinstance(event, DraftCertified):
            sections.append(TextTable(WORLD_COLUMNS, world_rows(event.worlds), "Certificate"))
            break
        if isinstance(event, DraftRefused):
            rows = tuple((each.stage, str(each.seed), each.detail) for each in event.findings)
            sections.append(TextTable(REFUSAL_COLUMNS, rows, "Why the last draft was refused"))
            break
    reviews = [event for event in events if isinstance(event, Review)]
    if reviews:
        sections.append(Prose(reviews[-1].review_md, "The critic"))
    return sections


def _written(events: Sequence[Event], draft: BenchmarkDrafted | None) -> dict[str, str]:
    """Return plan, certificate and the critic's words; of a draft that was not published its files, too."""
    written: dict[str, str] = {}
    for event in events:
        if isinstance(event, BenchmarkDrafted):
            written["plan.md"] = event.plan_md
        elif isinstance(event, DraftCertified):
            written["certificate.json"] = _certificate_json(event)
        elif isinstance(event, Review):
            written["review.md"] = event.review_md
    if draft is not None:
        files = draft.draft.files
        written |= {"draft/benchmark.yaml": files.benchmark_yaml, "draft/environment.py": files.environment_py}
        written["draft/witness.py"] = files.witness_py
    return written


def _certificate_json(event: DraftCertified) -> str:
    return event.model_dump_json(include={"has_motion", "worlds"}, indent=2) + "\n"


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
