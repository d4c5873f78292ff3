"""The kernel's process: what runs inside the sandbox for one session."""
