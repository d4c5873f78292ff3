"""What a check says: that something is fine, with a detail, or what is wrong, as measured, with its mend."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Group = Literal[
    "machine", "programs", "place", "sandbox", "graphics", "servers", "schema", "consumers", "artifacts", "model"
]


class Finding(BaseModel):
    """One thing that is wrong."""

    model_config = ConfigDict(frozen=True)

    what: str
    """The thing, and what is wrong with it."""
    measured: str = ""
    """What was seen, as close to the source as possible."""
    mend: str
    """What to do."""


class Check(BaseModel):
    """One thing that was looked at."""

    model_config = ConfigDict(frozen=True)

    group: Group
    name: str
    detail: str = ""
    """What there is, when nothing is wrong."""
    findings: tuple[Finding, ...] = ()
    unseen: bool = False
    """Whether it was not looked at; the detail says why, and who can."""

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def passed(group: Group, name: str, detail: str = "") -> Check:
    """Return that nothing is wrong."""
    return Check(group=group, name=name, detail=detail)


def skipped(group: Group, name: str, why: str) -> Check:
    """Return that this cannot be seen from here, which is no fault."""
    return Check(group=group, name=name, detail=why, unseen=True)


def failed(group: Group, name: str, what: str, mend: str, measured: str = "") -> Check:
    """Return the one thing that is wrong."""
    return Check(group=group, name=name, findings=(Finding(what=what, measured=measured, mend=mend),))
