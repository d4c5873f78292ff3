"""Events about skills: learned from runs and offered to roles."""

from typing import ClassVar, Literal

from pydantic import PositiveInt

from contracts.envelope import Event, Request, Role
from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256


class SkillLearned(Event):
    """A skill was learned from a run in which something failed and was then resolved."""

    name: str
    """Folder name of the skill, in kebab-case."""
    description: str
    for_role: Role
    version: PositiveInt
    digest: Sha256
    """Digest of SKILL.md."""
    skill_md: ArtifactRef


class SkillRejected(Event):
    """No skill was learned from the run."""

    reason: Literal["not_proven", "nothing_failed", "not_resolved", "already_known", "malformed"]
    detail: str


class OfferedSkill(Model):
    """A skill by name and description; its text is read on demand from skills/NAME/SKILL.md."""

    name: str
    """Folder name, in kebab-case."""
    description: str
    version: PositiveInt
    skill_md: ArtifactRef


class SkillsOffered(Event):
    """The skills that the role may use."""

    skills: tuple[OfferedSkill, ...]


class SkillsRequested(Request):
    """A role requests the skills learned for it."""

    owner: ClassVar = "skill-learner"
    outcomes: ClassVar = (SkillsOffered,)
