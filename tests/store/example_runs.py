"""Runs of their own for tests that share one database."""

from uuid import UUID, uuid4

from contracts.envelope import Event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import SessionOpened
from store.log import LogEntry

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()


def request_of(run_id: UUID) -> EngineeringRequested:
    """Return a request that opens a run."""
    example = EXAMPLES[EngineeringRequested]
    assert isinstance(example, EngineeringRequested)
    return example.model_copy(update={"id": run_id, "run_id": run_id})


def success_of(request: EngineeringRequested) -> RunSucceeded:
    """Return how that run ended well."""
    example = EXAMPLES[RunSucceeded]
    assert isinstance(example, RunSucceeded)
    return RunSucceeded.answering(
        request, "planner", delivery=example.delivery, bill=example.bill, result=example.result
    )


def failure_of(request: EngineeringRequested) -> RunFailed:
    """Return how that run ended badly."""
    return RunFailed.answering(request, "planner", reason="deadline", detail="900 s are over")


def notes_of(request: EngineeringRequested, count: int) -> list[Event]:
    """Return some events of that run."""
    return [SessionOpened.deciding(request, "engineer", step, ready_s=step, files=()) for step in range(count)]


def entries(*events: Event, first_sequence: int = 1) -> list[LogEntry]:
    """Return events as the recorder hands them over."""
    return [
        LogEntry(event=event, body=event.model_dump_json().encode(), stream_sequence=sequence)
        for sequence, event in enumerate(events, first_sequence)
    ]


def new_run() -> EngineeringRequested:
    """Return the request of a run that no other test knows."""
    return request_of(uuid4())
