"""What functions of the kernel raise to end a cell, or to explain why they cannot go on."""


class ExplainedError(Exception):
    """An error whose message says all: its traceback ends in the agent's code."""


class CellEnding(BaseException):
    """Ends the cell without an error."""
