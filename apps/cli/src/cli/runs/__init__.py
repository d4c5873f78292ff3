"""Runs: request, execution, progress, delivery and evaluation."""
