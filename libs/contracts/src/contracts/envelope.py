"""Base classes of all events: their common fields, subjects and derived ids."""

import re
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, TypedDict, get_args
from uuid import UUID, uuid5

from pydantic import AwareDatetime, Field, computed_field

from contracts.event_line import EventLine, EventText
from contracts.model import Model
from contracts.models.artifact import ArtifactRef

RunKind = Literal["engineering", "benchmark", "question", "learning", "trial", "operations"]
Role = Literal["planner", "engineer", "critic", "skill-learner", "catalog", "benchmark-generator", "spatial-agent"]
ROLES: tuple[Role, ...] = get_args(Role)
Service = Literal["cli", Role, "cad-worker", "sim-worker", "perception-worker", "recorder", "gateway"]
SERVICES: tuple[Service, ...] = get_args(Service)


def outcome_id(cause: UUID) -> UUID:
    """Return the id shared by all possible outcomes of `cause`: of several, the first one stored wins."""
    return uuid5(cause, "outcome")


def request_id(run_id: UUID, role: Role, step: int, ordinal: int = 0) -> UUID:
    """Return the id of the `ordinal`-th request that `role` makes in its `step`-th step of a run."""
    return uuid5(run_id, f"{role}:{step}:{ordinal}")


class LargeField(Model):
    """A text that is too large for a message: an artifact holds it, and the field itself holds only its beginning."""

    pointer: str
    """Location of the text in the event's JSON, as a JSON pointer (RFC 6901)."""
    artifact: ArtifactRef
    """The whole text in UTF-8."""


class Event(Model):
    """A fact that has happened.

    The subject is `mw.<thing>.<participle>`, derived from the class name; run, role and id follow it.
    """

    subject: ClassVar[str]
    """`mw.<thing>.<participle>`; the words of a longer thing are joined by `_`."""
    publishers: ClassVar[tuple[Service, ...]] = ()
    """The services that publish it, apart from the outcomes of their own requests and dead letters."""
    unconsumed: ClassVar[str] = ""
    """Of an event that only the recorder's consumer delivers: why it is published."""
    opens_run: ClassVar[bool] = False
    """Whether a run begins when it is stored."""
    ends: ClassVar[RunKind | None] = None
    """The kind of run that has ended when it is stored."""

    id: UUID
    """Derived from the cause, except for events that a user sends: repeated work publishes under the same id."""
    run_id: UUID
    """The run that the event belongs to."""
    kind: RunKind = "engineering"
    """The kind of run."""
    role: Role
    """The role whose thread of the run the event belongs to. An outcome takes it from its request, so that all outcomes
    of one request compete for one subject in the stream."""
    causation_id: UUID | None = None
    """The event that directly caused this one; none only for the request that opens a run."""
    occurred_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    """Creation time by the clock of the producer. The order of events is the order of the stream."""
    producer: str
    """The service that created the event."""
    schema_version: Literal[1] = 1
    large_fields: tuple[LargeField, ...] = ()
    """Texts that are stored as artifacts. The chassis restores them: handlers receive whole texts and an empty list."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401 - pydantic's own signature
        super().__pydantic_init_subclass__(**kwargs)
        words = re.findall(r"[A-Z][a-z0-9]*", cls.__name__)
        cls.subject = f"mw.{'_'.join(words[:-1]).lower()}.{words[-1].lower()}"

    @computed_field
    @property
    def type(self) -> str:
        """The class name: the discriminator of stored events."""
        return type(self).__name__

    @property
    def full_subject(self) -> str:
        """The subject of this one event, with run, role and id."""
        return f"{self.subject}.{self.run_id}.{self.role}.{self.id}"

    def line(self) -> EventLine:
        """Return what happened, in one line for people; every class has its own."""
        raise NotImplementedError(f"{self.type} does not define its line")

    def texts(self) -> list[EventText]:
        """Return what models, kernels and users wrote in it, some perhaps empty; none if the line has it all."""
        return []


class EventEnvelope(TypedDict):
    """The fields of an event that its cause determines: `SomeEvent(**answering(request, "cad-worker"), field=…)`."""

    id: UUID
    run_id: UUID
    kind: RunKind
    role: Role
    causation_id: UUID | None
    producer: str


def opening(run_id: UUID, kind: RunKind, role: Role, producer: str, cause: UUID | None = None) -> EventEnvelope:
    """Return the envelope of a request that opens a run and shares its id; `cause` is an event of another run."""
    return EventEnvelope(id=run_id, run_id=run_id, kind=kind, role=role, causation_id=cause, producer=producer)


def requesting_design(run_id: UUID, producer: str, kind: RunKind = "engineering") -> EventEnvelope:
    """Return the envelope of the request of a design; a run has one, and its id follows from that of the run."""
    return {**opening(run_id, kind, "planner", producer), "id": uuid5(run_id, "request")}


def answering(cause: Event, producer: str) -> EventEnvelope:
    """Return the envelope of the outcome of the request `cause`, with its run, its role and the derived id."""
    return caused_by(cause, outcome_id(cause.id), cause.role, producer)


def during(cause: Event, key: str, producer: str) -> EventEnvelope:
    """Return the envelope of an event that `producer` publishes while it answers `cause`; `key` makes its id unique."""
    return caused_by(cause, uuid5(cause.id, key), cause.role, producer)


def deciding(cause: Event, role: Role, step: int, ordinal: int = 0) -> EventEnvelope:
    """Return the envelope of an event that `role` decides on in its `step`-th step because of `cause`."""
    return caused_by(cause, request_id(cause.run_id, role, step, ordinal), role, role)


def caused_by(cause: Event, event_id: UUID, role: Role, producer: str) -> EventEnvelope:
    """Return the envelope of an event in the run of `cause`, of which it is a direct consequence."""
    return EventEnvelope(
        id=event_id, run_id=cause.run_id, kind=cause.kind, role=role, causation_id=cause.id, producer=producer
    )


class Request(Event):
    """An event with exactly one owner, which answers it with exactly one of its outcomes."""

    owner: ClassVar[Service]
    """The service that answers it."""
    outcomes: ClassVar[tuple[type[Event], ...]]
    """The classes of event that may answer it."""
