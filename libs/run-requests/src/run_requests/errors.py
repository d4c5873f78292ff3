"""Errors of a user's request for a run; each message is one line that names the thing and the fix."""

from collections.abc import Sequence
from uuid import UUID

from contracts.envelope import Role
from contracts.settings import COMMAND


class RunRequestError(ValueError):
    """A run cannot be requested as the user asks."""


class UnknownRunError(RunRequestError):
    """No run has this id."""

    def __init__(self, run_id: UUID | str) -> None:
        """`run_id`: an id, or a beginning of one."""
        super().__init__(f"unknown run {run_id}: `{COMMAND} runs` lists all runs")


class AmbiguousRunError(RunRequestError):
    """Several ids begin like this."""

    def __init__(self, digits: str, candidates: Sequence[UUID], *, has_more: bool) -> None:
        named = ", ".join(map(str, candidates)) + (" and others" if has_more else "")
        super().__init__(f"{digits} is the beginning of several runs, {named}: write more of the id")


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
