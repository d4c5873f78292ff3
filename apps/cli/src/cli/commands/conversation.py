"""`millwright conversation RUN`."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from agent.context.prompt_renderer import UnknownPromptRuleError
from agent.context.recorded_prompt import prompt_of_call
from agent.journal.reader import blocks_of, transcript_of
from agent.journal.timeline import TimelineMessage, calls_of, timeline_of
from contracts.envelope import Event, Role
from contracts.model import Model
from contracts.models.conversation import Message
from contracts.publishers import ROLES
from local_stack.errors import UserError
from local_stack.settings import read_settings
from pydantic import NonNegativeInt
from rich.text import Text

from cli.entry import OK, run
from cli.run_record import whole_runs
from cli.screen import screen

from .options import Run, run_id_of

OfRole = Annotated[str, typer.Option(metavar="ROLE", help=f"Whose: {', '.join(ROLES)}.")]
AsJson = Annotated[bool, typer.Option("--json", help="One message per line, whole, as JSON.")]
AsSeen = Annotated[int | None, typer.Option(metavar="STEP", min=0, help="What the model was sent at this step.")]


class Said(Model):
    """One message of a conversation, and where it stands."""

    step: NonNegativeInt
    from_token: NonNegativeInt
    to_token: NonNegativeInt
    unread: bool
    message: Message


def conversation(run_id: Run, role: OfRole = "engineer", as_json: AsJson = False, as_seen: AsSeen = None) -> None:
    """Tell what a role and its model said to each other, message by message, from the database."""
    run(_conversation(run_id, role, as_json=as_json, as_seen=as_seen))


async def _conversation(text: str, role_text: str, *, as_json: bool, as_seen: int | None) -> int:
    console, role = screen(), role_of(role_text)
    (events,) = await whole_runs(run_id_of(text), read_settings())
    lines = said(events, role, as_json=as_json) if as_seen is None else seen(events, role, as_seen, as_json=as_json)
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    return OK


def role_of(text: str) -> Role:
    """Return the role of this name."""
    for role in ROLES:
        if role == text:
            return role
    raise UserError(f"{text!r} is no role: there are {', '.join(ROLES)}")


def said(events: Sequence[Event], role: Role, *, as_json: bool) -> Iterator[str]:
    """Yield each message of the conversation once, in order, tool calls and all."""
    timeline = timeline_of(events, role)
    if not timeline.messages:
        raise UserError(f"{role} asked no model in this run")
    for each in timeline.messages:
        yield _as_json(each) if as_json else transcript_of([each]) + "\n"


def seen(events: Sequence[Event], role: Role, step: int, *, as_json: bool) -> Iterator[str]:
    """Yield what the model was sent at a step: what was old is shortened as it was then."""
    calls = {call.step: call for call in calls_of([event for event in events if event.role == role])}
    if step not in calls:
        known = ", ".join(map(str, calls)) or "none"
        raise UserError(f"{role} asked no model at step {step}; it did at {known}")
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
    return Said(step=each.step, unread=each.unusable, message=each.message, **span).model_dump_json()
