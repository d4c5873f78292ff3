"""Executors: the three ways in which the engineer acts, by cells, by tool calls, or by one script."""
