"""Limits of cells and sessions, for the worker that keeps them and for the prompts that name them."""

CELL_S = 120.0
"""CPU time of a cell, without that of its tools."""
MAX_TOOL_CALLS = 200
"""Per cell: they do not count as the cell's time, so nothing else would end a loop of them."""
MAX_CELL_TOOLS_S = 600.0
"""Time that the tools of a cell may compute."""
MAX_SESSION_TOOLS_S = 3600.0
"""The same of a session."""
MAX_CELL_PICTURES = 8
MAX_SESSION_PICTURES = 60
