"""Postgres: the event log's tables and migrations."""
