"""The port of a role: its policy turns events into reactions and model replies into decisions, with its prompts."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import Generic, Protocol, TypeVar

from contracts.envelope import Event, EventEnvelope, Role, deciding
from contracts.events.conversation import ReplyRejected
from contracts.models.conversation import Message
from documents.markdown import table_cell
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel

from agent.journal.entries import Bookmark, TimelinePosition, fenced
from agent.journal.timeline import RULE
from agent.rendering.tables import quoted

Notes = TypeVar("Notes", bound=BaseModel)
"""What a policy keeps between events besides the conversation."""


class EntryEnvelope(EventEnvelope):
    """The fields of a journal entry that do not depend on what it is about."""

    number: int
    from_token: int
    to_token: int
    rule: int


class StepEvents:
    """Envelopes of the events that a role decides in one step; their ids derive from run, role, step and ordinal."""

    def __init__(
        self,
        cause: Event,
        role: Role,
        step: int,
        first_ordinal: int = 1,
        position: TimelinePosition | None = None,
    ) -> None:
        self.cause = cause
        self._role: Role = role
        self._step = step
        self._ordinal = first_ordinal  # 0 is the step's ModelCalled
        self._position = position or TimelinePosition()

    def next(self) -> EventEnvelope:
        """Return the envelope of the step's next event."""
        envelope = deciding(self.cause, self._role, self._step, self._ordinal)
        self._ordinal += 1
        return envelope

    def next_entry(self) -> EntryEnvelope:
        """Return the envelope of the journal's next entry; it covers all messages since the last one, up to the reply.

        Only the first entry of a step covers anything, so a policy puts everything it notes in a step into one entry.
        """
        bookmark, token = self._position.bookmark, self._position.token
        number = bookmark.entries + 1
        self._position = TimelinePosition(bookmark=Bookmark(entries=number, token=token), token=token)
        return {**self.next(), "number": number, "from_token": bookmark.token, "to_token": token, "rule": RULE}


@dataclass(frozen=True)
class Reaction(Generic[Notes]):
    """What an event means to a role: messages for the model, events that are decided without it, both, or neither."""

    notes: Notes
    messages: tuple[Message, ...] = ()
    """New messages of the conversation."""
    model: str = ""
    """The model to call; empty: no call."""
    decided: tuple[Event, ...] = ()
    tools: Sequence[type[BaseModel]] | None = None
    """The tools that the model may call this time; None: all of the role's tools."""


@dataclass(frozen=True)
class Decision(Generic[Notes]):
    """A role's decision on a reply."""

    notes: Notes
    decided: tuple[Event, ...]


class RolePolicy(Protocol[Notes]):
    """One role. Its methods may be called again for the same event, so their effects must be idempotent.

    An event that leads to neither a model call nor a decision is not repeated to a thread that lost its state: nothing
    may depend on it.
    """

    role: Role
    tools: Sequence[type[BaseModel]]
    """Schemas of the tools that its model may call."""
    notes_class: type[Notes]
    """Constructed without arguments for a new thread."""
    prompt_digest: str

    async def on_event(self, event: Event, notes: Notes, events: StepEvents) -> Reaction[Notes]:
        """Return the reaction to an event."""
        ...

    async def on_reply(self, reply: Message, notes: Notes, events: StepEvents) -> Decision[Notes]:
        """Return the decision on a reply; raise `MalformedReplyError` if the reply cannot be used."""
        ...

    def give_up(self, problem: str, notes: Notes, events: StepEvents) -> Decision[Notes]:
        """Return the decision when the model refuses, or too many of its replies in a row cannot be used."""
        ...


def rejection_text(rejected: ReplyRejected) -> str:
    """Return the message that asks the model again, below the rejected reply."""
    return (
        f"Your last reply could not be used, and nothing was done (attempt {rejected.attempt}). {rejected.problem} "
        "Reply again, with that corrected."
    )


class Prompts:
    """The templates in the `prompts` folder of a service's package.

    What a model, a user or a benchmark wrote enters a template by the filter `data`, a fence that it cannot close, or
    `quote`; so none of it looks like an instruction or a section of the prompt.
    """

    def __init__(self, package: str) -> None:
        self._templates = Environment(
            loader=PackageLoader(package, "prompts"),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # noqa: S701 - Markdown for a model, not HTML
        )
        self._templates.filters["data"] = fenced
        self._templates.filters["quote"] = quoted
        self._templates.filters["cell"] = table_cell
        self.digest = _digest(package)

    def render(self, name: str, **values: str | int) -> str:
        """Render the template `<name>.md.j2`; `values` must hold every name that it uses."""
        return self._templates.get_template(f"{name}.md.j2").render(**values).strip()


def _digest(package: str) -> str:
    """Return one sha256 over names and contents of all prompt files."""
    folder = files(package) / "prompts"
    digest = sha256()
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".md.j2"):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
