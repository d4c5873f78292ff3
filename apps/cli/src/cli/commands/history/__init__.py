"""Commands that read the event log: each needs a database, and no services."""
