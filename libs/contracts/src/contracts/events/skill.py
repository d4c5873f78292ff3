"""What was learned."""

from typing import ClassVar, Literal

from pydantic import PositiveInt

from contracts.envelope import Event, Request, Role
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256


class SkillLearned(Event):
    """A skill was written from a run in which something failed and was then resolved."""

    name: str
    """Folder name of the skill, kebab-case."""
    description: str
    for_role: Role
    version: PositiveInt
    digest: Sha256
    """Of the SKILL.md."""
    skill_md: ArtifactRef


class SkillRejected(Event):
    """The run taught nothing that is worth a skill."""

    reason: Literal["nothing_failed", "not_resolved", "already_known", "malformed"]
    detail: str


class OfferedSkill(Model):
    """A skill by name and description; its text is opened on demand, as skills/NAME/SKILL.md."""

    name: str
    """Folder name, kebab-case."""
    description: str
    version: PositiveInt
    skill_md: ArtifactRef


class SkillsOffered(Event):
    """The skills that a role may use."""

    skills: tuple[OfferedSkill, ...]


class SkillsRequested(Request):
    """A role asks what has been learned for it."""

    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillsOffered,)
