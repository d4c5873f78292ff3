"""The process that all children are forked from."""
