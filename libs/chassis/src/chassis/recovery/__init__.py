"""Purging messages that are no longer needed, and reading acknowledged ones again."""
