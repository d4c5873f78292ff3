"""Rules that every event class follows."""

import re
from typing import Any, get_args
from uuid import UUID

import pytest
from contracts.envelope import Event, Request, Role, answering, deciding, outcome_id, request_id
from contracts.events.run import CancelRequested, EngineeringRequested, RunFailed, RunSucceeded
from contracts.model import Model
from contracts.models.benchmark import Payload
from contracts.registry import (
    BY_SUBJECT,
    ENDINGS,
    EVENTS,
    OPENINGS,
    REQUESTS,
    UnknownSubjectError,
    class_at,
    is_base,
    parse,
)
from pydantic import JsonValue, ValidationError

from tests.architecture.repository import ROOT
from tests.contracts import example_values as values
from tests.contracts.examples import GOLDEN, full_examples
from tests.contracts.snapshots import minimal

EXAMPLES = full_examples()
SERVICES = {path.name for path in (ROOT / "services").iterdir() if path.is_dir()}
TOKEN = re.compile(r"^[a-z]+(_[a-z]+)*$")

every_event = pytest.mark.parametrize("event", EXAMPLES.values(), ids=lambda event: event.type)
every_request = pytest.mark.parametrize("request_class", REQUESTS, ids=lambda request: request.__name__)


def test_every_event_has_a_unique_subject_and_an_example():
    assert len(EVENTS) == len(set(EVENTS)) == len(BY_SUBJECT)
    assert {f"{kind.__name__}.full.json" for kind in EVENTS} == {path.name for path in GOLDEN.glob("*.full.json")}


def test_every_event_class_words_its_line_and_texts_itself():
    assert [kind.__name__ for kind in EVENTS if kind.line is Event.line] == []
    shared = {"contracts/event_line.py", "contracts/event_format.py", "contracts/outcomes.py"}
    makers = [
        path
        for folder in ("apps", "libs", "services")
        for path in (ROOT / folder).glob("*/src/**/*.py")
        if re.search(r"\bEvent(Line|Text)\(", path.read_text("utf-8")) and path.parent.name != "events"
    ]
    assert [path for path in makers if f"{path.parent.name}/{path.name}" not in shared] == []


def test_every_event_class_is_registered():
    def below(kind: type[Event]) -> set[type[Event]]:
        return {kind}.union(*(below(sub) for sub in kind.__subclasses__()))

    ours = {kind for kind in below(Event) if kind.__module__.startswith("contracts.events.")}
    assert {kind for kind in ours if not is_base(kind)} == set(EVENTS)


@every_event
def test_subject_consists_of_thing_participle_run_role_id(event: Event):
    prefix, thing, participle, run_id, role, event_id = event.full_subject.split(".")
    assert prefix == "mw"
    assert TOKEN.match(thing)
    assert TOKEN.match(participle)
    assert "".join(word.capitalize() for word in (*thing.split("_"), participle)) == event.type
    assert (UUID(run_id), role, UUID(event_id)) == (event.run_id, event.role, event.id)
    assert class_at(event.full_subject) is type(event)


@every_event
def test_event_survives_serialization(event: Event):
    assert parse(event.full_subject, event.model_dump_json().encode()) == event


@every_event
def test_minimal_message_is_valid(event: Event):
    read = type(event).model_validate(minimal(event))
    assert (read.id, read.run_id, read.role, read.producer) == (event.id, event.run_id, event.role, event.producer)


@every_event
def test_unknown_fields_are_ignored_on_every_level(event: Event):
    def add_fields(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            # Maps from labels to artifacts, and from names to figures or counts: a new key there would be a new entry.
            grown = {
                key: item if key in {"part_steps", "figures", "endings"} else add_fields(item)
                for key, item in value.items()
            }
            return {**grown, "unknown_field": True}
        return [add_fields(item) for item in value] if isinstance(value, list) else value

    assert type(event).model_validate(add_fields(event.model_dump(mode="json"))) == event


@every_event
def test_event_is_frozen(event: Event):
    with pytest.raises(ValidationError, match="frozen"):
        event.producer = "another"


@every_event
def test_event_without_id_is_refused(event: Event):
    message = event.model_dump(mode="json", exclude={"id"})
    with pytest.raises(ValidationError, match="id\n"):
        type(event).model_validate(message)


@every_event
def test_only_opening_requests_have_no_cause(event: Event):
    assert (event.causation_id is None) == isinstance(event, OPENINGS)


@every_request
def test_owner_of_request_is_a_service(request_class: type[Request]):
    assert request_class.owner in SERVICES


@every_request
def test_outcomes_of_request_share_one_id_and_place(request_class: type[Request]):
    assert request_class.outcomes
    assert set(request_class.outcomes) <= set(EVENTS)
    request = EXAMPLES[request_class]
    answers = [kind(**answering(request, "x"), **_fields(kind)) for kind in request_class.outcomes]
    assert {answer.id for answer in answers} == {outcome_id(request.id)}
    assert {answer.causation_id for answer in answers} == {request.id}
    # All of them compete for one subject, so their subjects differ only in thing and participle.
    assert len({answer.full_subject.split(".", 3)[3] for answer in answers}) == 1


def test_events_named_requested_are_requests_except_cancellation():
    requested = {event for event in EVENTS if event.__name__.endswith("Requested")}
    assert requested - set(REQUESTS) == {CancelRequested}


def test_only_owners_of_openings_end_runs():
    assert EngineeringRequested.owner == "planner"
    assert set(EngineeringRequested.outcomes) == {RunSucceeded, RunFailed}
    assert [kind for kind in REQUESTS if set(ENDINGS) & set(kind.outcomes)] == list(OPENINGS)
    assert {outcome for kind in OPENINGS for outcome in kind.outcomes} == set(ENDINGS)


def test_role_is_a_single_subject_token():
    assert all(re.match(r"^[a-z-]+$", role) for role in get_args(Role))


def test_request_id_depends_on_run_role_step_ordinal():
    run_id = EXAMPLES[EngineeringRequested].run_id
    ids = {
        request_id(run_id, role, step, ordinal) for role in get_args(Role) for step in range(5) for ordinal in range(3)
    }
    assert len(ids) == len(get_args(Role)) * 5 * 3
    assert request_id(run_id, "engineer", 2, 1) == request_id(run_id, "engineer", 2, 1)
    decided = CancelRequested(**deciding(EXAMPLES[EngineeringRequested], "planner", 4))
    assert decided.id == request_id(run_id, "planner", 4, 0)


def test_deciding_accepts_step_as_position_and_field():
    called = EXAMPLES[next(kind for kind in EVENTS if kind.__name__ == "ModelCalled")]
    assert called.model_dump()["step"] == 5
    assert called.id == request_id(called.run_id, "engineer", 5)


def test_derived_ids_match_stored_logs():
    run_id = UUID("0192f0c0-5eed-4000-8000-000000000001")
    assert outcome_id(run_id) == UUID("280b6e68-1f9d-5a47-9f51-795e6768219f")
    assert request_id(run_id, "engineer", 3, 1) == UUID("621b7034-ab4f-5eb5-91a4-3a3bac2e1d99")


@pytest.mark.parametrize("subject", ["mw.design.forgotten.a.b.c", "mw", "other.plan.proposed.a.b.c"])
def test_unknown_subject_is_named_in_the_error(subject: str):
    with pytest.raises(UnknownSubjectError, match=re.escape(".".join(subject.split(".")[:3]))):
        parse(subject, b"{}")


def _fields(kind: type[Event]) -> dict[str, Any]:
    example = EXAMPLES[kind]
    own = set(kind.model_fields) - set(Event.model_fields)
    return {name: getattr(example, name) for name in own}


def test_every_model_refuses_numbers_that_are_not_finite():
    """JSON has no others: such a number could be published, but never read."""

    def below(kind: type[Model]) -> set[type[Model]]:
        return {kind}.union(*(below(sub) for sub in kind.__subclasses__()))

    assert [kind.__name__ for kind in below(Model) if kind.model_config.get("allow_inf_nan") is not False] == []
    content = values.VARIANT.payload.model_dump()
    for number in (float("inf"), float("nan")):
        with pytest.raises(ValidationError, match="finite"):
            Payload.model_validate({**content, "size_mm": number})
