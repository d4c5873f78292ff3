"""A log of runs of any length, about 1 KB for each event: the classes of a real run, with the contents of examples."""

from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID, uuid4

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.events.design import DesignApproved, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.plan import PlanApproved, PlanProposed
from contracts.events.run import EngineeringQueued, EngineeringRequested, EngineeringStarted, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, SessionClosed, SessionOpened
from contracts.events.simulation import SimulationCompleted, SimulationRequested

from tests.contracts.examples import full_examples

STEPS = 15
OPENING = (EngineeringRequested, EngineeringQueued, EngineeringStarted, PlanProposed, PlanApproved, SessionOpened)
STEP = (
    ModelCalled,
    JournalEntryAdded,
    CellRequested,
    SimulationRequested,
    SimulationCompleted,
    CellCompleted,
)
CLOSING = (DesignSubmitted, DesignValidated, DesignSimulated, DesignApproved, RunSucceeded, SessionClosed)
RUN = (*OPENING, *(each for _ in range(STEPS) for each in STEP), *CLOSING)
"""The classes of a run's events, in order."""
ANSWERS: dict[type[Event], type[Event]] = {
    PlanApproved: PlanProposed,
    CellCompleted: CellRequested,
    SimulationCompleted: SimulationRequested,
    DesignValidated: DesignSubmitted,
    DesignSimulated: DesignValidated,
    DesignApproved: DesignSimulated,
}
_RUN, _ID, _CAUSE = (
    b"00000000-0000-4000-8000-000000000001",
    b"00000000-0000-4000-8000-000000000002",
    (b"00000000-0000-4000-8000-000000000003"),
)


class Message(NamedTuple):
    """A stored event."""

    subject: str
    event_id: UUID
    data: bytes


def messages(count: int) -> Iterator[Message]:
    """Yield `count` messages of as many runs as it takes, in the order of each run."""
    templates = {event_class: _template(event_class) for event_class in RUN}
    left = count
    while left > 0:
        for message in _run(templates):
            yield message
            left -= 1
            if left == 0:
                return


def _run(templates: dict[type[Event], bytes]) -> Iterator[Message]:
    run_id, cause, last = uuid4(), b"", dict[type[Event], bytes]()
    run = str(run_id).encode()
    for event_class in RUN:
        event_id = uuid4()
        own = str(event_id).encode()
        caused_by = last.get(ANSWERS.get(event_class, event_class), cause) or own
        data = templates[event_class].replace(_RUN, run).replace(_ID, own).replace(_CAUSE, caused_by)
        yield Message(f"{event_class.subject}.{run_id}.{_ROLES[event_class]}.{event_id}", event_id, data)
        last[event_class] = cause = own


_EXAMPLES = full_examples()
_ROLES = {event_class: _EXAMPLES[event_class].role for event_class in RUN}


def _template(event_class: type[Event]) -> bytes:
    event = _EXAMPLES[event_class].model_copy(
        update={
            "run_id": UUID(_RUN.decode()),
            "id": UUID(_ID.decode()),
            "causation_id": UUID(_CAUSE.decode()),
            "large_fields": (),
        }
    )
    return event.model_dump_json().encode()
