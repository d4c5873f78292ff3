"""Sessions, on the host's side: workspaces, kernels and their tools, and recovery from the event log."""
