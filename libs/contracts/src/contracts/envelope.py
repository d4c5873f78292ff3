"""What every event carries, and how ids follow from causes."""

import re
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, Self
from uuid import UUID, uuid5

from pydantic import AwareDatetime, Field, computed_field

from contracts.model import Model
from contracts.models.artifact import ArtifactRef

RunKind = Literal["engineering", "benchmark", "question", "learning", "trial", "operations"]
Role = Literal["planner", "engineer", "critic", "skill-learner", "catalog"]


def outcome_id(cause: UUID) -> UUID:
    """Return the one id that any outcome of `cause` has, whatever its class: the first stored answer wins."""
    return uuid5(cause, "outcome")


def request_id(run_id: UUID, role: Role, step: int, ordinal: int = 0) -> UUID:
    """Return the id of the `ordinal`-th request that `role` makes in its `step`-th step of a run."""
    return uuid5(run_id, f"{role}:{step}:{ordinal}")


class LargeField(Model):
    """A text of an event that was too large to travel; in its place stands its beginning."""

    pointer: str
    """Where in the event's JSON, as a JSON pointer (RFC 6901)."""
    artifact: ArtifactRef
    """The whole text, UTF-8."""


class Event(Model):
    """A fact that has happened.

    The subject is `mw.<thing>.<participle>`, derived from the class name; the chassis appends run, role and id.
    """

    subject: ClassVar[str]
    """`mw.<thing>.<participle>`; several words of the thing are joined by `_`."""

    id: UUID
    """Follows from its cause for all but what a user sends: whoever does the work again says it under the same id."""
    run_id: UUID
    """Correlates everything that belongs to one run."""
    kind: RunKind = "engineering"
    """What sort of run it is."""
    role: Role
    """Whose thread of the run this event belongs to. An outcome inherits it, so that all outcomes of one cause
    compete for one place in the stream."""
    causation_id: UUID | None = None
    """The event that directly led to this one; none only for the request that opens a run."""
    occurred_at: AwareDatetime = Field(default_factory=lambda: datetime.now(UTC))
    """When it was written, by the clock of its producer; the order of events is that of the stream."""
    producer: str
    """The service that says so."""
    schema_version: Literal[1] = 1
    large_fields: tuple[LargeField, ...] = ()
    """Written and resolved by the chassis: a handler always sees whole texts, and none here."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401 - pydantic's own signature
        super().__pydantic_init_subclass__(**kwargs)
        words = re.findall(r"[A-Z][a-z0-9]*", cls.__name__)
        cls.subject = f"mw.{'_'.join(words[:-1]).lower()}.{words[-1].lower()}"

    @computed_field
    @property
    def type(self) -> str:
        """The class name: the discriminator of the stored log."""
        return type(self).__name__

    @classmethod
    def answering(cls, cause: "Event", producer: str, **fields: Any) -> Self:  # noqa: ANN401 - validated by the class
        """Return this class as the outcome of `cause`: same run, same role, the derived id."""
        return cls(
            id=outcome_id(cause.id),
            run_id=cause.run_id,
            kind=cause.kind,
            role=cause.role,
            causation_id=cause.id,
            producer=producer,
            **fields,
        )

    @classmethod
    def during(cls, cause: "Event", what: str, producer: str, **fields: Any) -> Self:  # noqa: ANN401 - as above
        """Return this class as what `producer` says while `cause` is being answered; `what` tells it apart."""
        return cls(
            id=uuid5(cause.id, what),
            run_id=cause.run_id,
            kind=cause.kind,
            role=cause.role,
            causation_id=cause.id,
            producer=producer,
            **fields,
        )

    @classmethod
    def deciding(cls, cause: "Event", role: Role, step: int, /, ordinal: int = 0, **fields: Any) -> Self:  # noqa: ANN401 - as above
        """Return this class as what `role` decided in its `step`-th step, led there by `cause`."""
        return cls(
            id=request_id(cause.run_id, role, step, ordinal),
            run_id=cause.run_id,
            kind=cause.kind,
            role=role,
            causation_id=cause.id,
            producer=role,
            **fields,
        )

    @property
    def full_subject(self) -> str:
        """Where this very event lies in the stream."""
        return f"{self.subject}.{self.run_id}.{self.role}.{self.id}"


class Request(Event):
    """A fact that asks: exactly one service owns it and answers with exactly one of its outcomes."""

    owner: ClassVar[str]
    """The service that answers."""
    outcomes: ClassVar[tuple[type[Event], ...]]
    """What it may answer with."""
