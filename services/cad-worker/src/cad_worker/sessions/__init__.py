"""One session, on the host's side: its workspace, kernel, documents and history."""
