"""Tools of the skill-learner's model: it reads step by step, and proposes one change."""

from typing import Annotated, Literal

from agent.loop.tool_calls import signature_of
from contracts.envelope import Role
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, StringConstraints

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]


class SearchSkills(BaseModel):
    """List the skills of all roles whose name or description has one of these words; no words: all."""

    model_config = ConfigDict(title="search_skills", extra="forbid")

    words: str = Field(default="", max_length=200)


class ReadSkill(BaseModel):
    """Show a skill's text."""

    model_config = ConfigDict(title="read_skill", extra="forbid")

    name: str = Field(min_length=1, max_length=64)


class ReadJournal(BaseModel):
    """Without an entry: the list of entries, page by page. With one: what it says, its headings, or its transcript."""

    model_config = ConfigDict(title="journal", extra="forbid")

    depth: Literal["summary", "headings", "transcript"] = "summary"
    entry: PositiveInt | None = None
    page: PositiveInt = 1
    role: Literal["planner", "engineer", "critic"] = "engineer"


class ReadCell(BaseModel):
    """Show one cell, write, edit or verdict, by the id of its event, with what came of it."""

    model_config = ConfigDict(title="read_cell", extra="forbid")

    event: str = Field(min_length=4, max_length=40, description="Such as `3f2a9c01`.")


class Edit(BaseModel):
    """One replacement in SKILL.md, below its frontmatter."""

    model_config = ConfigDict(extra="forbid")

    old_text: str = Field(default="", max_length=6_000, description="Occurs exactly once; empty: append `new_text`.")
    new_text: str = Field(default="", max_length=8_000)


class Claim(BaseModel):
    """A sentence of the change, and the event that proves it."""

    model_config = ConfigDict(extra="forbid")

    text: Line = Field(description="As the change has it, without the list mark.")
    evidence: str = Field(min_length=4, max_length=40, description="Id of the event, such as `3f2a9c01`.")


class ProposeChange(BaseModel):
    """Propose a change of one skill of one role, or a new skill. It is checked at once, and ends your work."""

    model_config = ConfigDict(title="propose_change", extra="forbid")

    skill: str = Field(min_length=1, max_length=64, description="Name in kebab-case.")
    for_role: Role
    description: str = Field(min_length=20, max_length=1024, description="When to use it, in one line.")
    edits: list[Edit] = Field(min_length=1, max_length=8)
    claims: list[Claim] = Field(min_length=1, max_length=20)


class Done(BaseModel):
    """End your work without a change."""

    model_config = ConfigDict(title="done", extra="forbid")

    reason: Line


LearnerTool = SearchSkills | ReadSkill | ReadJournal | ReadCell | ProposeChange | Done
TOOLS: tuple[type[LearnerTool], ...] = (SearchSkills, ReadSkill, ReadJournal, ReadCell, ProposeChange, Done)
ENDING: tuple[type[LearnerTool], ...] = (ProposeChange, Done)
"""Tools that end the work, if they are accepted."""
SIGNATURES = ", ".join(f"`{signature_of(each)}`" for each in TOOLS)
