"""Example runs with new ids, for tests that share one database."""

from uuid import uuid4

from chassis.stream.large_fields import artifacts_in
from contracts.envelope import Event, answering, deciding
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import SessionOpened
from contracts.models.artifact import ArtifactRef
from store.log import LogEntry

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()


def new_request() -> EngineeringRequested:
    """Return the request that opens a new run."""
    example = EXAMPLES[EngineeringRequested]
    assert isinstance(example, EngineeringRequested)
    run_id = uuid4()
    return example.model_copy(update={"id": run_id, "run_id": run_id})


def with_code(request: EngineeringRequested, code: ArtifactRef) -> EngineeringRequested:
    """Return the request with this code of an environment."""
    variant = request.assignment.variant.model_copy(update={"environment_code": code})
    return request.model_copy(update={"assignment": request.assignment.model_copy(update={"variant": variant})})


def run_success(request: EngineeringRequested) -> RunSucceeded:
    """Return the successful end of the run."""
    example = EXAMPLES[RunSucceeded]
    assert isinstance(example, RunSucceeded)
    return RunSucceeded(
        **answering(request, "planner"), delivery=example.delivery, bill=example.bill, result=example.result
    )


def run_failure(request: EngineeringRequested) -> RunFailed:
    """Return the failed end of the run."""
    return RunFailed(**answering(request, "planner"), reason="deadline", detail="900 s are over")


def session_events(request: EngineeringRequested, count: int) -> list[Event]:
    """Return further events of the run."""
    return [SessionOpened(**deciding(request, "engineer", step), ready_s=step, files=()) for step in range(count)]


def log_entries(*events: Event, first_sequence: int = 1) -> list[LogEntry]:
    """Return events as the recorder passes them to the log."""
    return [
        LogEntry(
            event=event,
            body=event.model_dump_json().encode(),
            stream_sequence=sequence,
            artifacts=tuple(artifacts_in(event)),
        )
        for sequence, event in enumerate(events, first_sequence)
    ]
