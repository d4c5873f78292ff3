"""The Markdown documents agents write: plan, TODO list, journal, refusal."""
