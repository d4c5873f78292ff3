"""Health, lag, metrics and traces."""
