"""The expert engineer: its replies, and what it changes after a failure."""
