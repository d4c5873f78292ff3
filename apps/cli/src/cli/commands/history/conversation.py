"""`millwright conversation RUN`."""

from collections.abc import Iterator, Sequence
from typing import Annotated
from uuid import UUID

import typer
from agent.context.prompt_renderer import UnknownPromptRuleError
from agent.context.recorded_prompt import prompt_of_call
from agent.journal.reader import blocks_of, transcript_of
from agent.journal.timeline import TimelineMessage, calls_of, timeline_of
from contracts.envelope import Event, Role
from contracts.model import Model
from contracts.models.conversation import Message
from local_stack.errors import UserError
from local_stack.settings import read_settings
from pydantic import NonNegativeInt
from rich.text import Text

from cli.entry import OK, run
from cli.log_access import load_runs
from cli.options import RoleName, Run, parse_role, parse_run_id
from cli.screen import output_console

AsJson = Annotated[bool, typer.Option("--json", help="Print one message per line, as complete JSON.")]
AsSeen = Annotated[int | None, typer.Option(metavar="STEP", min=0, help="Show the prompt as sent at this step.")]


class ConversationMessage(Model):
    """One message of a conversation, with its position."""

    step: NonNegativeInt
    from_token: NonNegativeInt
    to_token: NonNegativeInt
    unread: bool
    message: Message


def conversation(run_id: Run, role: RoleName = "engineer", as_json: AsJson = False, as_seen: AsSeen = None) -> None:
    """Show the messages between a role and its model, from the database."""
    run(_conversation(parse_run_id(run_id), parse_role(role), as_json=as_json, as_seen=as_seen))


async def _conversation(run_id: UUID, role: Role, *, as_json: bool, as_seen: int | None) -> int:
    console = output_console()
    (events,) = await load_runs(run_id, read_settings())
    if as_seen is None:
        lines = conversation_lines(events, role, as_json=as_json)
    else:
        lines = prompt_lines(events, role, as_seen, as_json=as_json)
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    return OK


def conversation_lines(events: Sequence[Event], role: Role, *, as_json: bool) -> Iterator[str]:
    """Yield each message of the conversation once, in order, with its tool calls."""
    timeline = timeline_of(events, role)
    if not timeline.messages:
        raise UserError(f"{role} called no model in this run")
    for each in timeline.messages:
        yield _as_json(each) if as_json else transcript_of([each]) + "\n"


def prompt_lines(events: Sequence[Event], role: Role, step: int, *, as_json: bool) -> Iterator[str]:
    """Yield the messages that the model was sent at a step, with old ones shortened as they were then."""
    calls = {call.step: call for call in calls_of([event for event in events if event.role == role])}
    if step not in calls:
        steps = ", ".join(map(str, calls)) or "none"
        raise UserError(f"{role} called no model at step {step}; steps with a model call: {steps}")
    try:
        prompt = prompt_of_call(calls[step], events)
    except UnknownPromptRuleError as error:
        raise UserError(str(error)) from error
    for message in prompt:
        yield (
            message.model_dump_json()
            if as_json
            else "\n\n".join([f"#### {message.author}", *blocks_of(message)]) + "\n"
        )


def _as_json(each: TimelineMessage) -> str:
    span = {"from_token": each.from_token, "to_token": each.to_token}
    return ConversationMessage(step=each.step, unread=each.unusable, message=each.message, **span).model_dump_json()
