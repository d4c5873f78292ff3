"""What the host answers to the tools of a session's kernel."""
