"""Linting of the Python files that agents write, on their text alone."""
