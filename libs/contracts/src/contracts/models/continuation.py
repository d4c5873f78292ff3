"""One timeline over several attempts: a run that begins where an earlier one ended."""

from uuid import UUID

from contracts.model import Model
from contracts.models.artifact import ArtifactRef


class Continuation(Model):
    """An earlier run that a user wants to go on from."""

    attempts: tuple[UUID, ...]
    """The runs before this one, the oldest first; the last is the one that is continued."""
    says: str
    """The user's words to it."""
    workspace: ArtifactRef
    """Zip of the files that its engineer left: script.py, todo.md, journal.md and modules of its own."""
    journal_md: str
    """What all attempts wrote down so far, as Markdown."""
