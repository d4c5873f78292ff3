"""Errors of a user's request for a run; each message is one line that names the thing and the fix."""

from uuid import UUID


class RunRequestError(ValueError):
    """A run cannot be requested as the user asks."""


class UnknownRunError(RunRequestError):
    """No run has this id."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(f"unknown run {run_id}: `millwright runs` lists all runs")


class RunNotEndedError(RunRequestError):
    """A run must end before it can be continued."""

    def __init__(self, run_id: UUID) -> None:
        super().__init__(f"run {run_id} has not ended: wait for it, or `millwright cancel {run_id}`")


class EarlierFilesError(RunRequestError):
    """The files of the run that is to be continued cannot be used."""
