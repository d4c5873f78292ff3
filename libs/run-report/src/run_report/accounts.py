"""The account of a run of any kind."""

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
)
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated, DesignValidated
from contracts.events.plan import PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.simulation import FilmCompleted, FilmRequested

from run_report.account import RunAccount
from run_report.generation import generation_account
from run_report.question import question_account
from run_report.solution import solution_account

ACCOUNTED = (
    *(EngineeringRequested, RunSucceeded, RunFailed, PlanRejected, RefusalDenied, RefusalUpheld),
    *(DesignInvalidated, DesignValidated, DesignSimulated, DesignRejected, FilmRequested, FilmCompleted),
    *(BenchmarkRequested, BenchmarkPublished, GenerationFailed, BenchmarkPlanRejected, BenchmarkDrafted),
    *(DraftCertified, DraftRefused, DraftApproved, DraftRejected, QuestionAsked, QuestionAnswered, QuestionFailed),
)
"""Classes of events without which an account lacks more than effort, script and files."""


def account_of(events: Sequence[Event]) -> RunAccount:
    """Return the account of a run; raise `NotReportableError` for events of no run."""
    match events[0] if events else None:
        case QuestionAsked() as request:
            return question_account(request, events)
        case BenchmarkRequested() as request:
            return generation_account(request, events)
        case _:
            return solution_account(events)
