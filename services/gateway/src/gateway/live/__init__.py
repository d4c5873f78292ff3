"""Live event streams."""
