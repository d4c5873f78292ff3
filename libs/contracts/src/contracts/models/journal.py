"""What requests carry about the journal."""

from uuid import UUID

from contracts.model import Model


class JournalFields(Model):
    """Field of the requests that a role makes when it has noted something."""

    journal_entries: tuple[UUID, ...] = ()
    """The `JournalEntryAdded` events of the role that are not in journal.md yet: the receiver adds them first."""
