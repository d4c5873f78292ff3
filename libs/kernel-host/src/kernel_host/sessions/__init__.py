"""One session on the host's side: its kernel, workspace, images, recorded replies and history."""
