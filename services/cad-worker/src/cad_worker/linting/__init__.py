"""What linters say of an agent's Python, run beside the host on texts alone."""
