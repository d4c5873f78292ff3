"""Markdown that agents write and read: plan, TODO list, journal, refusal; observations, quotes and shipped skills."""
