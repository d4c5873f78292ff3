"""HTTP: problems, guards, cursors, entity tags and the server."""
