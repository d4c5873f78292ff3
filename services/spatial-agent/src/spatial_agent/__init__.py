"""The spatial-agent: a role that answers questions about images."""
