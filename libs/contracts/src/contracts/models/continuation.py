"""Continuation of an earlier run: its files, its journal and the user's comment."""

from uuid import UUID

from pydantic import PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef


class Continuation(Model):
    """The earlier runs that a run continues."""

    attempts: tuple[UUID, ...]
    """The earlier runs, oldest first; the last one is continued."""
    says: str
    """The user's comment on it."""
    workspace: ArtifactRef
    """Zip of its engineer's files: script.py, todo.md, journal.md and the engineer's own modules."""
    journal_md: str
    """The journals of all attempts so far, as Markdown."""
    after_cell: PositiveInt | None = None
    """The cell of the last attempt's engineer after which it is left; None: it had ended."""
    plan_md: str = ""
    """The last attempt's plan as Markdown. Empty: it had none, or the log is older than this field."""
