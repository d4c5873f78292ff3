"""Machines with one motor: pushers and lifts."""
