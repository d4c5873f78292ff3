"""All sessions of a worker: opened, served in turns, taken over, and recovered from the event log."""
