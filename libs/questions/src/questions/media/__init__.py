"""Images and videos as frames of a question."""
