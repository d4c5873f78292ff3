"""A judged simulation as Markdown and events."""
