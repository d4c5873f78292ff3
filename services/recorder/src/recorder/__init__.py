"""The single writer of the event log."""
