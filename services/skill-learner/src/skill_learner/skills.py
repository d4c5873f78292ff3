"""Skills: a SKILL.md read strictly from a reply, stored in versions, and offered to roles."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple, Protocol
from uuid import UUID

from agent.loop.replies import MalformedReplyError, require_text_only, sections
from artifacts.port import ArtifactStore
from contracts.envelope import Role
from contracts.events.skill import OfferedSkill, SkillsOffered, SkillsRequested
from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message
from documents.shipped_skills import PLANNER_SKILLS, SHIPPED_SKILLS
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from store.skills import LearnedSkill, NewSkill

SECTIONS = ("When to use", "What went wrong", "What worked")
FOR_ROLE: Role = "engineer"
"""The role whose failures a run shows, and which learns from them."""
_MAX_BYTES = 16_000
_QUOTES = {'"': '\\"', "'": "''"}
"""How each kind of quote is written inside of itself."""
_INDICATORS = tuple("&*!|>%@`[]{},\"'#")
"""Characters with which YAML begins something else than a text."""

SkillName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Description = Annotated[str, StringConstraints(min_length=20, max_length=1024, pattern=r"^[^<>\n]*$")]
Access = Mapping[Role, Sequence[Role]]
"""The roles whose skills a role may use besides its own."""


class _Frontmatter(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: SkillName
    description: Description


class Skill(Model):
    """A well-formed skill."""

    name: str
    description: str
    text: str
    """The whole SKILL.md."""


class StoredSkill(NamedTuple):
    """A skill with its version."""

    version: int
    skill_md: ArtifactRef
    is_new: bool
    """No other run taught the same text before."""


class SkillVersions(Protocol):
    """Counts versions of skills; the same text twice is one version."""

    async def learn(self, skill: NewSkill) -> LearnedSkill:
        """Return the skill with its version."""
        ...


class NewestSkills(Protocol):
    """Reads the newest versions of skills."""

    async def newest(self, for_role: Role) -> list[LearnedSkill]:
        """Return the newest version of each skill that was learned for a role."""
        ...


class SkillStore:
    """Stores skills: their text as artifact, their version in the database. Storing one twice has no effect."""

    def __init__(self, artifacts: ArtifactStore, versions: SkillVersions) -> None:
        self._artifacts = artifacts
        self._versions = versions

    async def store(self, skill: Skill, run_id: UUID) -> StoredSkill:
        """Store the text, then its version."""
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
        return StoredSkill(version=learned.version, skill_md=learned.artifact, is_new=learned.learned_from == run_id)


class SkillOffers:
    """Offers skills to roles, by name and description."""

    def __init__(self, skills: NewestSkills, access: Access, at_most: int) -> None:
        self._skills = skills
        self._access = access
        self._at_most = at_most

    async def answer(self, request: SkillsRequested) -> SkillsOffered:
        """Offer the requesting role its skills; skills that are learned later are not offered in this run."""
        return SkillsOffered.answering(request, "skill-learner", skills=await self.for_role(request.role))

    async def for_role(self, role: Role) -> tuple[OfferedSkill, ...]:
        """Return the newest version of each skill that `role` may use, by name; of too many the latest learned.

        Of skills with one name only the first is offered; a role's own skills come first.
        """
        by_name: dict[str, LearnedSkill] = {}
        for owner in dict.fromkeys((role, *self._access.get(role, ()))):
            for skill in await self._skills.newest(owner):
                by_name.setdefault(skill.name, skill)
        latest = sorted(by_name.values(), key=lambda skill: skill.learned_at, reverse=True)[: self._at_most]
        return tuple(_offered(skill) for skill in sorted(latest, key=lambda skill: skill.name))


def read_skill(reply: Message) -> Skill:
    """Return the skill; raise `MalformedReplyError` if it lacks frontmatter or sections, or has others."""
    text = require_text_only(reply).strip() + "\n"
    if len(text.encode()) > _MAX_BYTES:
        raise MalformedReplyError(f"The skill is longer than {_MAX_BYTES} bytes; keep what helps, drop the story.")
    opening, _, rest = text.partition("\n")
    head, closing, body = rest.partition("\n---\n")
    if opening.strip() != "---" or not closing:
        raise MalformedReplyError("The reply must begin with frontmatter between two lines `---`, and no code fence.")
    matter = _read_frontmatter(head)
    sections(body, SECTIONS)
    if matter.name in {*SHIPPED_SKILLS, *PLANNER_SKILLS}:
        raise MalformedReplyError(f"There is a skill {matter.name} that is shipped; choose another name.")
    return Skill(name=matter.name, description=matter.description, text=text)


def _read_frontmatter(head: str) -> _Frontmatter:
    """Read `key: value` lines: two fields need no parser of YAML, which costs more than linear time on anchors."""
    fields: dict[str, str] = {}
    for line in filter(str.strip, head.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or key in fields:
            raise MalformedReplyError(
                f"The frontmatter has `{line[:80]}`; write each field once, on a line of its own."
            )
        fields[key] = _scalar(key, value.strip())
    try:
        return _Frontmatter.model_validate(fields)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))[:80]}: {each['msg']}" for each in error.errors()[:5])
        raise MalformedReplyError(f"The frontmatter holds `name` (kebab-case) and `description`: {faults}") from error


def _scalar(key: str, value: str) -> str:
    """Return the text of a value in quotes, or of a plain one that YAML reads as the same text."""
    quote = value[:1]
    if len(value) > 1 and quote in _QUOTES and value.endswith(quote):
        return value[1:-1].replace(_QUOTES[quote], quote)
    if value.startswith(_INDICATORS) or ": " in value or " #" in value:
        raise MalformedReplyError(
            f"The frontmatter's `{key[:80]}` is not a text on one line; put it into double quotes."
        )
    return value


def _offered(skill: LearnedSkill) -> OfferedSkill:
    return OfferedSkill(name=skill.name, description=skill.description, version=skill.version, skill_md=skill.artifact)
