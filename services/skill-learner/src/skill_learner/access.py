"""Which skills a role may use: those that were learned for it, and those of others that it is given."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from contracts.envelope import Role
from contracts.events.skill import OfferedSkill
from store.skills import LearnedSkill

Access = Mapping[Role, Sequence[Role]]
"""Whose skills a role may use besides its own."""


class Versions(Protocol):
    """Knows all versions of all skills."""

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        """Return the newest version of each skill that was learned for a role."""
        ...


class Offering:
    """Offers skills by name and description."""

    def __init__(self, versions: Versions, access: Access, at_most: int) -> None:
        self._versions = versions
        self._access = access
        self._at_most = at_most

    async def to(self, role: Role) -> tuple[OfferedSkill, ...]:
        """Return the newest version of each skill that `role` may use, by name; of too many the latest learned.

        A name is offered once: a role's own skill goes before another's.
        """
        by_name: dict[str, LearnedSkill] = {}
        for owner in dict.fromkeys((role, *self._access.get(role, ()))):
            for skill in await self._versions.newest(owner):
                by_name.setdefault(skill.name, skill)
        latest = sorted(by_name.values(), key=lambda skill: skill.learned_at, reverse=True)[: self._at_most]
        return tuple(_offered(skill) for skill in sorted(latest, key=lambda skill: skill.name))


def _offered(skill: LearnedSkill) -> OfferedSkill:
    return OfferedSkill(name=skill.name, description=skill.description, version=skill.version, skill_md=skill.artifact)
