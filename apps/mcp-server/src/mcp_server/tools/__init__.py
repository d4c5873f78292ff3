"""The tools of the server, by subject."""
