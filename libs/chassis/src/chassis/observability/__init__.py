"""Metrics, traces, logs and the health server."""
