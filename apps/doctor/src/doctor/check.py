"""What a check says: that something is fine, with a detail, or what is wrong, as measured, with its mend."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Group = Literal[
    "machine", "programs", "place", "sandbox", "graphics", "servers", "schema", "consumers", "artifacts", "model"
]


class CheckFailure(BaseModel):
    """One thing that is wrong."""

    model_config = ConfigDict(frozen=True)

    what: str
    """The thing, and what is wrong with it."""
    measured: str = ""
    """What was seen, as close to the source as possible."""
    fix: str = Field(serialization_alias="mend")
    """What to do."""


class Check(BaseModel):
    """One thing that was looked at."""

    model_config = ConfigDict(frozen=True)

    group: Group
    name: str
    detail: str = ""
    """What there is, when nothing is wrong."""
    failures: tuple[CheckFailure, ...] = Field(default=(), serialization_alias="findings")
    skipped: bool = Field(default=False, serialization_alias="unseen")
    """Whether it was not looked at; the detail says why, and who can."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failures


def passed(group: Group, name: str, detail: str = "") -> Check:
    """Return that nothing is wrong."""
    return Check(group=group, name=name, detail=detail)


def skipped(group: Group, name: str, why: str) -> Check:
    """Return that this cannot be seen from here, which is no fault."""
    return Check(group=group, name=name, detail=why, skipped=True)


def failed(group: Group, name: str, what: str, mend: str, measured: str = "") -> Check:
    """Return the one thing that is wrong."""
    return Check(group=group, name=name, failures=(CheckFailure(what=what, measured=measured, fix=mend),))
