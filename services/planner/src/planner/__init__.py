"""Planner: plans an engineering run, and is the only role that opens and ends it."""
