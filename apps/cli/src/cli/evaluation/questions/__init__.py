"""Evaluations of question sets: by executor, and without groups of tools."""
