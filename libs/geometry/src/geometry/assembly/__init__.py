"""The order in which parts can be put together, by motions without collision."""
