"""Trials of skills: runs with and without a version in pairs, and what their figures decide."""
