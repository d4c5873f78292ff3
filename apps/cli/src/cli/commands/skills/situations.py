"""`millwright skills situations`: whether a model opens skills where it should, and only there."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer
from agent.model.messages import user_message
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from contracts.models.benchmark import Budget
from contracts.models.conversation import Message
from documents.shipped_skills import ROLES_OF_SKILLS, skill_lines
from documents.skill_folders.situations import Firing, Situation, firings, situations
from local_stack.settings import read_settings
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.table import Table
from run_requests.request import require_model

from cli.commands.skills.tables import plain_table
from cli.entry import OK, run
from cli.screen import output_console

AT_ONCE = 4
TASK = (
    "Where you are in your work:\n\n> {text}\n\nCall `open_skill` for each skill that you need now, and reply `none` "
    "if you need none. Each costs what its text takes in every later prompt."
)


class OpenSkill(BaseModel):
    """Open a skill."""

    model_config = ConfigDict(title="open_skill", extra="forbid")

    name: str


def situations_(
    model: Annotated[str | None, typer.Option(help="`openai:NAME` or `anthropic:NAME`; it is paid for.")] = None,
) -> None:
    """Show a model situations in a role's work, and count which skills it opens by their descriptions."""
    chosen = model or read_settings().millwright_model
    require_model(chosen, Budget())
    run(_try(chosen))


async def _try(model: str) -> int:
    models, slots = RoleModel.configured(ModelSettings()), asyncio.Semaphore(AT_ONCE)

    async def opened(situation: Situation) -> tuple[Situation, frozenset[str]]:
        async with slots:
            return situation, await opened_by(models, model, situation)

    found = await asyncio.gather(*map(opened, situations()))
    output_console().print(firings_table(firings(ROLES_OF_SKILLS, found)))
    return OK


async def opened_by(models: RoleModel, model: str, situation: Situation) -> frozenset[str]:
    """Return the skills that the model opens; raise what `RoleModel.answer` raises."""
    listed = skill_lines(situation.role, ())
    system = Message(author="system", text=f"# Role: {situation.role}\n\n# Skills\n\n{listed}")
    answer = await models.answer(model, [system, user_message(TASK.format(text=situation.text))], (OpenSkill,))
    names: set[str] = set()
    for call in answer.reply.tool_calls:
        try:
            names.add(OpenSkill.model_validate_json(call.arguments_json).name)
        except ValidationError:
            continue  # a call that names no skill opens none
    return frozenset(names)


def firings_table(found: Sequence[Firing]) -> Table:
    """Return a row for each skill."""
    table = plain_table("skill", "opened where needed", "opened in vain")
    for each in found:
        table.add_row(each.name, f"{each.opened} of {each.wanted}", f"{each.opened_in_vain} of {each.unwanted}")
    return table
