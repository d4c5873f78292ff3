"""Whether a design or a world is valid: rules, contacts, connections."""
