"""The documents of agent work: a module for each, with its model, its strict reader and what may change in it."""
