"""Where skills are kept: their text among the artifacts, their versions in the database."""

from typing import NamedTuple, Protocol
from uuid import UUID

from artifacts.port import ArtifactStore
from contracts.envelope import Role
from contracts.models.artifact import ArtifactRef
from store.skills import LearnedSkill, NewSkill

from skill_learner.skill import Skill

FOR_ROLE: Role = "engineer"
"""Whose failures a run shows, and so who is taught."""


class Kept(NamedTuple):
    """A skill that was put on the shelf."""

    version: int
    skill_md: ArtifactRef
    is_new: bool
    """No other run had taught the very same before."""


class Versions(Protocol):
    """Counts versions of skills; the same text twice is one version."""

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        """Return the skill with its version."""
        ...


class Shelf:
    """Keeps skills. Keeping one twice is keeping it once."""

    def __init__(self, artifacts: ArtifactStore, versions: Versions) -> None:
        self._artifacts = artifacts
        self._versions = versions

    async def keep(self, skill: Skill, run_id: UUID) -> Kept:
        """Store the text first, then its version."""
        ref = await self._artifacts.put(skill.text.encode(), "text/markdown")
        learned = await self._versions.learn(
            NewSkill(
                name=skill.name,
                for_role=FOR_ROLE,
                description=skill.description,
                digest=ref.sha256,
                artifact=ref,
                learned_from=run_id,
            )
        )
        return Kept(version=learned.version, skill_md=learned.artifact, is_new=learned.learned_from == run_id)
