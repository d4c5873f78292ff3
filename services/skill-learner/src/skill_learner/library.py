"""The skills that there are: those that are shipped, and the learned ones with their texts; new versions are stored."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from uuid import UUID

from artifacts.port import ArtifactStore
from contracts.envelope import Role
from contracts.skills import PinnedSkill
from documents.shipped_skills import ALL_SKILLS
from store.skills.versions import LearnedSkill, NewSkill

from skill_learner.proposals.change import SkillChange

SKILL_TYPE = "text/markdown"
MAX_LISTED = 40


class Versions(Protocol):
    """Reads and adds versions of skills; see `store.skills.versions.Skills`."""

    async def version(self, name: str, version: int) -> LearnedSkill | None:
        """Return one version."""
        ...

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        """Return the skill with its version; the same text twice is one version."""
        ...

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        """Return of each skill of a role the version that is offered."""
        ...

    async def versions(self, name: str = "", for_role: Role | None = None) -> list[LearnedSkill]:
        """Return all versions."""
        ...


Pins = Sequence[PinnedSkill] | None
"""The learned skills that a run pins; None: it was offered what is adopted."""


class CurrentSkill(NamedTuple):
    """The version of a learned skill that a run was offered."""

    version: LearnedSkill
    text: str


class SkillLibrary:
    """Finds, reads and stores skills. Storing one twice has no effect."""

    def __init__(self, artifacts: ArtifactStore, versions: Versions) -> None:
        self._artifacts = artifacts
        self._versions = versions

    async def search(self, words: str, roles: Sequence[Role]) -> str:
        """Return skills with one of these words, a line each; without words, all."""
        wanted = words.lower().split()
        lines = [
            f"- `{each.name}` (shipped, read-only, for {', '.join(each.roles)}): {each.description}"
            for each in ALL_SKILLS.values()
        ]
        for role in roles:
            learned = await self._versions.newest(role)
            lines += [f"- `{each.name}` (learned, v{each.version}, for {role}): {each.description}" for each in learned]
        found = [line for line in lines if not wanted or any(word in line.lower() for word in wanted)]
        return "\n".join(found[:MAX_LISTED]) or "No skill has one of these words."

    async def text(self, name: str, roles: Sequence[Role], pins: Pins = None) -> str | None:
        """Return the text of a shipped skill, or of the version of a learned one that a run was offered."""
        if name in ALL_SKILLS:
            return ALL_SKILLS[name].files[f"skills/{name}/SKILL.md"].decode()
        for role in roles:
            current = await self.current(name, role, pins)
            if current is not None:
                return current.text
        return None

    async def owner(self, name: str) -> Role | None:
        """Return the role of a learned skill, whatever the status of its versions."""
        found = await self._versions.versions(name)
        return found[-1].for_role if found else None

    async def current(self, name: str, for_role: Role, pins: Pins = None) -> CurrentSkill | None:
        """Return the version of a skill that a run pins or, without pins, the one that is offered, if there is one."""
        for each in await self._offered(for_role, pins):
            if each.name == name:
                return CurrentSkill(each, (await self._artifacts.get(each.artifact)).decode(errors="replace"))
        return None

    async def _offered(self, for_role: Role, pins: Pins) -> list[LearnedSkill]:
        if pins is None:
            return await self._versions.newest(for_role)
        own = [each for each in pins if each.for_role == for_role]
        found = [await self._versions.version(each.name, each.version) for each in own]
        return [each for each in found if each is not None]

    async def store(
        self, change: SkillChange, description: str, for_role: Role, base: CurrentSkill | None, run_id: UUID
    ) -> LearnedSkill:
        """Store the text, then its version, which is proposed: a trial or a user adopts it."""
        ref = await self._artifacts.put(change.after.encode(), SKILL_TYPE)
        return await self._versions.learn(
            NewSkill(
                name=change.name,
                for_role=for_role,
                description=" ".join(description.split()),
                digest=ref.sha256,
                artifact=ref,
                learned_from=run_id,
                status="proposed",
                base_version=base.version.version if base else None,
                files=base.version.files if base else None,
                diff=change.diff,
            )
        )
