"""Workspaces as files: their limits, and the zip files in which they travel."""
