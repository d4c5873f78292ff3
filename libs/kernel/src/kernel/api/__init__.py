"""The in-kernel API behind the workspace's `utils`."""
