"""Perception: what is in frames, and where."""
