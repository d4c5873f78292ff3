"""What roles said and thought. `ModelCalled` is the truth of a conversation."""

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from contracts.envelope import Event
from contracts.models.artifact import Sha256
from contracts.models.conversation import Condensed, Ending, Message, Usage


class ModelCalled(Event):
    """A model answered. Stored before the answer is acted on; looked up before calling."""

    model: str
    """`offline` is the rule-based expert: no language model."""
    step: NonNegativeInt
    purpose: Literal["act", "memory"] = "act"
    """`memory`: it was asked to sum up the oldest steps before the step's own call, and its reply stands for them from
    then on. Such a call holds its whole prompt, and is no part of the conversation that it sums up."""
    prompt_digest: Sha256
    """Of the prompt files in use."""
    new_messages: tuple[Message, ...]
    """Only what the model had not seen before; the rest stands in earlier calls of this role."""
    condensed: Condensed = Condensed()
    """How all that was said so far was shortened for this call."""
    prompt_tokens: NonNegativeInt = 0
    """Estimated before the call, tools included; what the provider counted stands in `usage`."""
    reply: Message
    ending: Ending = "complete"
    """Only a complete reply is acted on."""
    usage: Usage
    spent: Usage = Usage()
    """All calls of this role in this run so far, this one included."""


class ReplyRejected(Event):
    """A role could not read its model's reply. It hears this itself and asks once more."""

    problem: str
    """What is wrong and how to mend it, in words for the model."""
    attempt: PositiveInt
    """How many replies in a row were unreadable."""


class JournalEntryAdded(Event):
    """A role wrote down what it tried.

    The timeline of a role in a run counts the tokens of all its messages in their order, each once. An entry covers
    what was said since the one before, so that all entries and the open end together cover every token once.
    """

    intent: str
    result: str
    reflection: str
    next_step: str
    number: PositiveInt = 1
    """Of this role's entries in this run, from 1."""
    about: Literal["trial", "simulation", "verdict", "chapter"] = "trial"
    """What gave rise to it; `chapter`: the agent itself closed one."""
    from_token: NonNegativeInt = 0
    """Where on the role's timeline its slice begins, included."""
    to_token: NonNegativeInt = 0
    """Where it ends, excluded; equal only in logs from before this was kept."""
    rule: NonNegativeInt = 0
    """Which version of the rule counted the tokens; 0 only in logs from before this was kept."""
    film_md: str = ""
    """The summary of the simulation, as it travels in front of its video."""
    key_frames: tuple[str, ...] = ()
    """Ids of the simulation's key frames, by which they can be shown again."""
