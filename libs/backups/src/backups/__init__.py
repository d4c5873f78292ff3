"""Backups: a dump of the database, the artifacts that it names, and a manifest of both."""
