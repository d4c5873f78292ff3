"""Exports recorded runs as tables for analysis and training; `docs/export.md` describes the columns."""
