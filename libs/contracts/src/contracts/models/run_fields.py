"""Fields that several events carry: of a run, so that each role hands them on to the next one, and of its journal."""

from typing import TypeVar
from uuid import UUID

from contracts.model import Model
from contracts.models.benchmark import Assignment, Budget, Environment, Executor
from contracts.models.continuation import Continuation

M = TypeVar("M", bound=Model)


class RunFields(Model):
    """The user's request."""

    assignment: Assignment
    budget: Budget
    model: str
    """`offline`, or `provider:name` as in LangChain."""
    executor: Executor = "code"
    continues: Continuation | None = None

    def run_fields(self) -> "RunFields":
        """Return these fields without the others of the event: `Event.deciding(..., **dict(event.run_fields()))`."""
        return _only(RunFields, self)


class PlannedRunFields(RunFields):
    """The user's request with its built environment and its plan."""

    environment: Environment
    plan_md: str
    todo_md: str

    def run_fields(self) -> "PlannedRunFields":
        """Return these fields without the others of the event."""
        return _only(PlannedRunFields, self)


def _only(model: type[M], value: M) -> M:
    """Return the fields that `model`, a base class of the value's class, declares."""
    return model(**{name: getattr(value, name) for name in model.model_fields})


class JournalFields(Model):
    """Field of the requests that a role makes when it has noted something."""

    journal_entries: tuple[UUID, ...] = ()
    """The `JournalEntryAdded` events of the role that are not in journal.md yet: the receiver adds them first."""
