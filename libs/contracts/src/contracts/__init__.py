"""Millwright's language: every event and domain model."""
