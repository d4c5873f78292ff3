"""The account of a run of any kind."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkRequested
from contracts.events.question import QuestionAsked

from run_report.account import RunAccount
from run_report.engineering import engineering_account
from run_report.generation import generation_account
from run_report.question import question_account


def account_of(events: Sequence[Event]) -> RunAccount:
    """Return the account of a run; raise `NotReportableError` for events of no run."""
    match events[0] if events else None:
        case QuestionAsked() as request:
            return question_account(request, events)
        case BenchmarkRequested() as request:
            return generation_account(request, events)
        case _:
            return engineering_account(events)
