"""A SKILL.md as the model writes it, read strictly: it will be put before other agents."""

from typing import Annotated

import yaml
from agent.loop.replies import MalformedReplyError, require_text_only, sections
from contracts.model import Model
from contracts.models.conversation import Message
from documents.shipped_skills import SHIPPED_SKILLS
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

SECTIONS = ("When to use", "What went wrong", "What worked")
_MAX_BYTES = 16_000

SkillName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
Description = Annotated[str, StringConstraints(min_length=20, max_length=1024, pattern=r"^[^<>\n]*$")]


class _Frontmatter(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: SkillName
    description: Description


class Skill(Model):
    """A skill, ready to be kept."""

    name: str
    description: str
    text: str
    """The whole SKILL.md."""


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
    if matter.name in SHIPPED_SKILLS:
        raise MalformedReplyError(f"There is a skill {matter.name} that every kernel has; choose another name.")
    return Skill(name=matter.name, description=matter.description, text=text)


def _read_frontmatter(head: str) -> _Frontmatter:
    try:
        return _Frontmatter.model_validate(yaml.safe_load(head))
    except yaml.YAMLError as error:
        raise MalformedReplyError(f"The frontmatter is no YAML: {error}") from error
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise MalformedReplyError(f"The frontmatter holds `name` (kebab-case) and `description`: {faults}") from error
