"""The result of a check: passed, failed or skipped."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Group = Literal[
    "machine",
    "programs",
    "place",
    "sandbox",
    "graphics",
    "servers",
    "schema",
    "consumers",
    "artifacts",
    "model",
    "services",
]
"""`place` is the data folder; as with the aliases below, `doctor --json` keeps its published names."""


class CheckFailure(BaseModel):
    """One problem that a check found."""

    model_config = ConfigDict(frozen=True)

    what: str
    """The thing and its problem."""
    measured: str = ""
    """The measured value or the original message."""
    fix: str = Field(serialization_alias="mend")
    """What to do."""


class Check(BaseModel):
    """One thing that was checked."""

    model_config = ConfigDict(frozen=True)

    group: Group
    name: str
    detail: str = ""
    """What was found when nothing is wrong, or why the check was skipped."""
    failures: tuple[CheckFailure, ...] = Field(default=(), serialization_alias="findings")
    skipped: bool = Field(default=False, serialization_alias="unseen")

    @property
    def ok(self) -> bool:
        """Whether no problem was found."""
        return not self.failures


def passed(group: Group, name: str, detail: str = "") -> Check:
    """Return a check that found no problem."""
    return Check(group=group, name=name, detail=detail)


def skipped(group: Group, name: str, reason: str) -> Check:
    """Return a check that cannot be made from here, which is not a failure."""
    return Check(group=group, name=name, detail=reason, skipped=True)


def failed(group: Group, name: str, what: str, fix: str, measured: str = "") -> Check:
    """Return a check that found one problem."""
    return Check(group=group, name=name, failures=(CheckFailure(what=what, measured=measured, fix=fix),))
