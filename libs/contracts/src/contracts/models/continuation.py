"""Continuation of an earlier run: its files, its journal, its engineer's session, and the user's comment."""

from uuid import UUID

from pydantic import PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef


class SessionEvent(Model):
    """An event of the session."""

    subject: str
    body: str
    """As JSON."""


class SessionRecord(Model):
    """What a session of an earlier run did: its first request, and all that a replay repeats, in order."""

    events: tuple[SessionEvent, ...]


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
    session: ArtifactRef | None = None
    """JSON of the `SessionRecord` up to `after_cell`: the next engineer's kernel begins as it was. None: empty."""
    cells_md: str = ""
    """The cells of that session with what came of each, as Markdown."""
    plan_md: str = ""
    """The last attempt's plan as Markdown. Empty: it had none, or the log is older than this field."""
