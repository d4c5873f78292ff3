"""Offers of skills to roles: what is adopted when a role asks first, or exactly what the run pins."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from chassis.bus import Bus
from contracts.envelope import Role, answering
from contracts.events.run import EngineeringRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.skills import OfferedSkill, PinnedSkill
from documents.shipped_skills import ALL_SKILLS
from store.skills.versions import LearnedSkill

Access = Mapping[Role, Sequence[Role]]
"""The roles whose skills a role may use besides its own."""


class OfferedVersions(Protocol):
    """Reads versions of skills, and keeps what runs were offered; see `store.skills.versions.Skills`."""

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        """Return of each skill of a role the version that is offered."""
        ...

    async def version(self, name: str, version: int) -> LearnedSkill | None:
        """Return one version."""
        ...

    async def keep_offer(self, offered: SkillsOffered) -> SkillsOffered:
        """Store what a role of a run is offered, and return what it was offered first."""
        ...


class SkillOffers:
    """Offers skills to roles, by name and description. A run keeps what it was offered first."""

    def __init__(self, skills: OfferedVersions, access: Access, at_most: int, bus: Bus) -> None:
        self._skills = skills
        self._access = access
        self._at_most = at_most
        self._bus = bus

    async def answer(self, request: SkillsRequested) -> SkillsOffered:
        """Offer the requesting role its skills; skills that are adopted later are not offered in this run."""
        opening = await self._bus.latest(EngineeringRequested, request.run_id)
        pinned = None if opening is None else opening.skills
        skills = await self.for_role(request.role, pinned)
        first = await self._skills.keep_offer(SkillsOffered(**answering(request, "skill-learner"), skills=skills))
        return SkillsOffered(**answering(request, "skill-learner"), skills=first.skills)

    async def for_role(self, role: Role, pinned: Sequence[PinnedSkill] | None = None) -> tuple[OfferedSkill, ...]:
        """Return one version of each skill that `role` may use, by name; of too many the latest learned.

        Of skills with one name only the first is offered; a role's own skills come first. A shipped skill takes the
        place of one that was learned before it was shipped.
        """
        by_name: dict[str, LearnedSkill] = {}
        for owner in dict.fromkeys((role, *self._access.get(role, ()))):
            for skill in await self._of_owner(owner, pinned):
                if skill.name not in ALL_SKILLS:
                    by_name.setdefault(skill.name, skill)
        latest = sorted(by_name.values(), key=lambda skill: skill.learned_at, reverse=True)[: self._at_most]
        return tuple(offered(skill) for skill in sorted(latest, key=lambda skill: skill.name))

    async def _of_owner(self, owner: Role, pinned: Sequence[PinnedSkill] | None) -> list[LearnedSkill]:
        if pinned is None:
            return await self._skills.newest(owner)
        own = [each for each in pinned if each.for_role == owner]
        found = [await self._skills.version(each.name, each.version) for each in own]
        return [each for each in found if each is not None]


def offered(skill: LearnedSkill) -> OfferedSkill:
    """Return a version as it is offered."""
    return OfferedSkill(
        name=skill.name,
        description=skill.description,
        version=skill.version,
        skill_md=skill.artifact,
        files=skill.files,
    )
