"""Errors of a user's request for a run; each message is one line that names the thing and the fix."""

from uuid import UUID

from contracts.envelope import Role
from contracts.settings import COMMAND


class RunRequestError(ValueError):
    """A run cannot be requested as the user asks."""


class UnknownRunError(RunRequestError):
    """No run has this id."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(f"unknown run {run_id}: `{COMMAND} runs` lists all runs")


class RunNotEndedError(RunRequestError):
    """A run must end before it can be continued."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(f"run {run_id} has not ended: wait for it, or `{COMMAND} cancel {run_id}`")


class UnknownCellError(RunRequestError):
    """The role has no such cell."""

    def __init__(self, role: Role, number: int, cells: int) -> None:
        have = "no cell" if not cells else "1 cell" if cells == 1 else f"{cells} cells"
        super().__init__(f"the {role} has no cell {number}: it completed {have}")


class EarlierFilesError(RunRequestError):
    """The files of the run that is to be continued cannot be used."""
