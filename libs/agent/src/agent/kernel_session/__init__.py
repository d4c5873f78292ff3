"""How a role works in a kernel session: its actions, what it has seen, and what of that goes into the journal."""
