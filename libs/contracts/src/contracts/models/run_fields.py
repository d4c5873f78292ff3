"""Fields that several events carry: of a run, so that each role hands them on to the next one, and of its journal."""

from uuid import UUID

from contracts.model import Model
from contracts.models.benchmark import Assignment, Budget, Environment, Executor
from contracts.models.continuation import Continuation


class RunFields(Model):
    """The user's request."""

    assignment: Assignment
    budget: Budget
    model: str
    """`offline`, or `provider:name` as in LangChain."""
    executor: Executor = "code"
    continues: Continuation | None = None


class PlannedRunFields(RunFields):
    """The user's request with its built environment and its plan."""

    environment: Environment
    plan_md: str
    todo_md: str


class JournalFields(Model):
    """Field of the requests that a role makes when it has noted something."""

    journal_entries: tuple[UUID, ...] = ()
    """The `JournalEntryAdded` events of the role that are not in journal.md yet: the receiver adds them first."""
