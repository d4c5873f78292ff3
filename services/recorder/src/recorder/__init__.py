"""The recorder: the only writer of the event log."""
