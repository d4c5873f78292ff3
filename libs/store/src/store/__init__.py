"""Postgres: the event log, the skills and the catalog, with their migrations."""
