"""What was learned."""

from typing import Literal

from pydantic import PositiveInt

from contracts.artifact import ArtifactRef, Sha256
from contracts.envelope import Event, Role


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
