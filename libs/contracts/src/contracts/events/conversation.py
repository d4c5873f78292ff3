"""Events about a role's conversation with its model. `ModelCalled` is the authoritative record."""

from typing import ClassVar, Literal

from pydantic import NonNegativeInt, PositiveInt

from contracts.envelope import ROLES, Event
from contracts.event_line import EventLine, EventText
from contracts.models.artifact import Sha256
from contracts.models.conversation import Condensed, Ending, Message, Usage, thought_of
from contracts.text import spaced

RejectionCause = Literal["form", "ambiguous", "empty", "tool", "content", "cut_off", "refused"]
"""Why a reply could not be used: its form; several readings; nothing in it; a wrong tool call; figures or names that
are wrong; and as `Ending` has it."""


class ModelCalled(Event):
    """A model replied. The event is stored before the reply is acted on, and looked up before the model is called."""

    publishers: ClassVar = ROLES

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: also on the thread of a spatial-agent; 2: of a benchmark-generator; 1: of the other roles."""
    model: str
    """`offline` is the rule-based expert, not a language model."""
    step: NonNegativeInt
    purpose: Literal["act", "memory"] = "act"
    """`memory`: the model was asked to summarize the oldest steps before the step's own call, and its reply replaces
    them from then on. Such a call contains its whole prompt and is not part of the conversation that it summarizes."""
    prompt_digest: Sha256
    """Digest of the prompt files in use."""
    new_messages: tuple[Message, ...]
    """Only the messages that the model had not seen before; the others are in earlier calls of this role. A reply that
    could not be used is among them once more, as the prompt shows it."""
    condensed: Condensed = Condensed()
    """How the conversation so far was shortened for this call."""
    prompt_tokens: NonNegativeInt = 0
    """Estimated before the call, including tools; `usage` has the provider's count."""
    reply: Message
    ending: Ending = "complete"
    """Only complete replies are acted on."""
    usage: Usage
    spent: Usage = Usage()
    """Total of all calls of this role in this run so far, including this one."""

    def line(self) -> EventLine:
        tokens = f"{self.usage.input_tokens} → {self.usage.output_tokens} tokens"
        return EventLine(f"step {self.step}: {self.model} answered, {tokens}, {self.usage.duration_s:.1f} s", "detail")

    def texts(self) -> list[EventText]:
        thoughts = "\n\n".join(filter(None, map(thought_of, self.reply.reasoning)))
        calls = [EventText(f"Calls {each.name}", each.arguments_json, "code") for each in self.reply.tool_calls]
        return [EventText("Thought", thoughts), EventText("Reply", self.reply.text), *calls]


class ReplyLost(Event):
    """A model was called, and no whole reply came. The provider may charge for it, so that its cost is estimated."""

    publishers: ClassVar = ROLES

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: also on the thread of a spatial-agent; 2: of a benchmark-generator; 1: of the other roles."""
    model: str
    step: NonNegativeInt
    attempt: PositiveInt
    """Number of replies lost in this step, including this one."""
    reason: Literal["silence", "broken"]
    """`silence`: nothing came any more. `broken`: the connection ended within the reply."""
    problem: str
    usage: Usage
    """Estimated: the whole prompt, and what a model can have written in that time."""
    spent: Usage = Usage()
    """Total of all lost replies of this role in this run so far; `ModelCalled.spent` does not contain them."""

    def line(self) -> EventLine:
        tokens = f"about {self.usage.input_tokens} → {self.usage.output_tokens} tokens"
        return EventLine(f"reply {self.attempt} of step {self.step} lost ({tokens}): {self.problem}", "failure")


class ReplyRejected(Event):
    """A role could not parse its model's reply. The role consumes this event itself and asks the model again."""

    publishers: ClassVar = ROLES

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: also on the thread of a spatial-agent; 2: of a benchmark-generator; 1: of the other roles."""
    problem: str
    """The error and how to fix it, worded for the model."""
    attempt: PositiveInt
    """Number of consecutive replies that could not be parsed."""
    cause: RejectionCause = "form"
    """`form` also in logs older than this field."""

    def line(self) -> EventLine:
        return EventLine(f"reply {self.attempt} rejected: {self.problem}", "failure")

    def texts(self) -> list[EventText]:
        return [EventText("Problem", self.problem)]


class ToolAnswered(Event):
    """A role answered a tool call of its model by itself. The role consumes this event and asks the model again."""

    publishers: ClassVar = ("planner", "skill-learner", "benchmark-generator")

    schema_version: Literal[1, 2, 3] = 3  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """3: also on the thread of a spatial-agent; 2: of a benchmark-generator; 1: of the other roles."""
    tool: str
    arguments_json: str
    """As they were read; a call in Markdown has them, too."""
    answer_md: str
    """As the model sees it."""
    has_failed: bool = False
    """Whether the calls after it in the same reply are not run."""

    def line(self) -> EventLine:
        return EventLine(f"{spaced(self.tool)}{' failed' if self.has_failed else ''}", "detail")

    def texts(self) -> list[EventText]:
        return [EventText(self.tool, self.arguments_json, "code"), EventText("Answer", self.answer_md)]


class JournalEntryAdded(Event):
    """A role recorded an attempt in its journal.

    The timeline of a role in a run counts the tokens of all its messages in order. An entry covers the messages since
    the previous entry, so that the entries and the messages after the last one cover every token exactly once.
    """

    publishers: ClassVar = ("engineer", "benchmark-generator")
    unconsumed: ClassVar = "skill-learner reads it from the event log after the run"

    intent: str
    result: str
    reflection: str
    next_step: str
    number: PositiveInt = 1
    """Counts the entries of this role in this run, from 1."""
    about: Literal["trial", "simulation", "verdict", "chapter"] = "trial"
    """What the entry is about; `chapter`: the agent itself closed a chapter."""
    from_token: NonNegativeInt = 0
    """First token of its range on the role's timeline."""
    to_token: NonNegativeInt = 0
    """End of the range, exclusive; equal to `from_token` only in logs older than this field."""
    rule: NonNegativeInt = 0
    """Version of the rule that counted the tokens; 0 only in logs older than this field."""
    film_md: str = ""
    """The summary of the simulation, as shown above its video."""
    key_frames: tuple[str, ...] = ()
    """Ids of the simulation's key frames, with which they can be shown again."""
    simulations: tuple[PositiveInt, ...] = ()
    """Numbers of the simulations that it concludes; without a reflection it concludes none."""
    own_entries: tuple[PositiveInt, ...] = ()
    """Numbers of the agent's own entries in journal.md that it joins. Without any, the session adds it to the file."""

    def line(self) -> EventLine:
        span = f" [tokens {self.from_token}-{self.to_token}]" if self.to_token > self.from_token else ""
        return EventLine(f"journal {self.number} ({self.about}){span}: {self.intent} → {self.result}", "detail")

    def texts(self) -> list[EventText]:
        return [
            EventText("Intent", self.intent),
            EventText("Result", self.result),
            EventText("Reflection", self.reflection),
            EventText("Next step", self.next_step),
        ]
