"""Models that events contain and several services use."""
