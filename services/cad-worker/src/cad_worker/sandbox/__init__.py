"""Locks a child in before it meets code that is not ours."""
