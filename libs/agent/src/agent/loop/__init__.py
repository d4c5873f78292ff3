"""The loop that every role shares: one event, at most one model call, one decision."""
