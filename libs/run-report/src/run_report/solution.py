"""The account of a run that solves a benchmark: the machine, or the last design and why it is none."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.event_line import bill_text, limits_text, result_text
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated, DesignSubmitted
from contracts.events.run import RunFailed, RunSucceeded
from contracts.models.artifact import ArtifactRef
from contracts.models.simulation import Media, SimulationResult
from contracts.text import counted, spaced

from run_report.account import Outcome, RunAccount, Section, effort_text, file_name
from run_report.blocks import Figures, Prose, TextTable
from run_report.delivery import BILL, REPORT_MD, WORKSPACE, bill_csv, media_files, report_md, stored_files
from run_report.record import ReportedRun

LAST_SUBMISSION = "last_submission.zip"
"""The workspace of a design that was submitted after the last valid one."""
FINDING_COLUMNS = ("rule", "part", "severity", "detail")


def solution_account(events: Sequence[Event]) -> RunAccount:
    """Return the account of a run of engineering."""
    record = ReportedRun.of(events)
    variant, bill = record.request.assignment.variant, record.bill
    return RunAccount(
        events=events,
        name=file_name(record.request.run_id, variant.benchmark, f"seed{variant.seed}"),
        title=f"{variant.title}, seed {variant.seed}",
        outcome=_outcome(record),
        is_open=record.end is None,
        facts=_facts(record),
        requested=_requested(record),
        sections=() if isinstance(record.end, RunSucceeded) else tuple(_shortcomings(record)),
        script=record.script,
        bill=bill,
        result=record.result,
        stored=_stored(record),
        written=_written(record),
    )


def _outcome(record: ReportedRun) -> Outcome:
    """Return the verdict of physics and critic, never that of a model's text."""
    match record.end:
        case RunSucceeded(bill=bill, result=result):
            detail = f"{bill_text(bill)}; {_reached(result)}"
            return Outcome("solved", "good", detail) if result.is_proven else Outcome("not proven", "bad", detail)
        case RunFailed(reason=reason, detail=detail):
            return Outcome("failed", "bad", f"{spaced(reason)}: {detail.rstrip('.')}. {_last_design(record)}")
        case None:
            return Outcome("in work", "note", _last_design(record))


def _reached(result: SimulationResult) -> str:
    nominal = f"{spaced(result.nominal.ending)} after {result.nominal.time_s:.2f} s"
    if not result.replicas:
        return nominal
    reached = sum(replica.ending == "reached_goal" for replica in result.replicas)
    return f"{nominal}; {reached} of {len(result.replicas)} replicas reached the goal"


def _last_design(record: ReportedRun) -> str:
    """Return in a sentence how far the last design came."""
    verdict = record.last_verdict
    if isinstance(verdict, DesignInvalidated):
        rules = ", ".join(dict.fromkeys(spaced(each.rule) for each in verdict.findings))
        return f"The last design was refused with {counted(len(verdict.findings), 'finding')}: {rules}."
    if isinstance(verdict, DesignSimulated):
        rejected = ", rejected by the critic" if isinstance(record.last_review, DesignRejected) else ""
        return f"The last valid design is {result_text(verdict.result)}{rejected}."
    return "No design was judged."


def _facts(record: ReportedRun) -> list[tuple[str, str]]:
    """Return name and value of what the run found."""
    bill, result = record.bill, record.result
    facts: list[tuple[str, str]] = []
    if bill is not None and not isinstance(record.end, RunSucceeded):
        facts.append(("last valid design", bill_text(bill)))
    elif bill is not None:
        facts += [
            ("price", f"{bill.unit_price_usd:.2f} USD"),
            ("mass", f"{bill.mass_kg:.3f} kg"),
            ("parts", str(bill.part_count)),
        ]
    facts += [] if result is None else [("simulation", _reached(result))]
    if record.assessment is not None:
        facts.append(("reruns", str(record.assessment)))
    return facts


def _requested(record: ReportedRun) -> list[tuple[str, str]]:
    """Return name and value of what was asked of the run, and what it took."""
    request, variant = record.request, record.request.assignment.variant
    return [
        ("benchmark", f"{variant.benchmark}, seed {variant.seed}, level {variant.level}"),
        ("requested", f"{limits_text(request.assignment.limits)}; {counted(request.assignment.quantity, 'piece')}"),
        ("model", request.model + ("" if request.executor == "code" else f", {request.executor}")),
        ("effort", effort_text(record.events, record.end)),
        ("started", f"{request.occurred_at:%Y-%m-%d %H:%M} UTC"),
        ("run", str(request.run_id)),
    ]


def _shortcomings(record: ReportedRun) -> list[Section]:
    """Return why the run has no machine: findings, the course of the last simulation, the critic's words."""
    verdict, review, film = record.last_verdict, record.last_review, record.film
    sections: list[Section] = []
    if isinstance(verdict, DesignInvalidated):
        rows = tuple((spaced(each.rule), each.label, each.severity, each.detail) for each in verdict.findings)
        sections.append(TextTable(FINDING_COLUMNS, rows, "Why the last design was refused"))
    if record.result is not None:
        sections.append(Prose(record.result.summary_md, "The last valid design in the simulation"))
    if review is not None:
        sections.append(Prose(review.review_md, "The critic"))
    if film is not None:
        sections.append(_film_figures(film))
    return sections


def _film_figures(film: Media) -> Figures:
    return Figures(((film.video, "film"), (film.poster, "the whole run")), "Film of the last valid design")


def _stored(record: ReportedRun) -> dict[str, ArtifactRef]:
    """Return the files of the delivered design, else of the last valid one with its film, and what came after it."""
    delivery, film = record.delivery, record.film
    stored = {} if delivery is None else {**stored_files(delivery), WORKSPACE: delivery.script}
    if film is not None:
        stored = media_files(film) | stored
    submitted = [event.submission.files for event in record.events if isinstance(event, DesignSubmitted)]
    if submitted and not isinstance(record.end, RunSucceeded) and submitted[-1] not in stored.values():
        stored[LAST_SUBMISSION] = submitted[-1]
    return stored


def _written(record: ReportedRun) -> dict[str, str]:
    written = {} if record.bill is None else {BILL: bill_csv(record.bill)}
    if isinstance(record.end, RunSucceeded):
        written[REPORT_MD] = report_md(record.request, record.end)
    return written
