"""Renders values of events as Markdown that models read and the offline expert parses."""
