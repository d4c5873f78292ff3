"""Messages between a role and its model."""

from typing import Literal, Self

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from contracts.model import Model
from contracts.models.artifact import ArtifactRef

Ending = Literal["complete", "cut_off", "refused"]
"""Of a reply. `cut_off`: it reached the limit of its length. `refused`: the model, or a filter of its provider, would
not answer; the text is what was said instead."""


class ToolCall(Model):
    """A structured call as the model wrote it."""

    call_id: str
    name: str
    arguments_json: str


class Picture(Model):
    """A picture that goes with a message: named, never carried."""

    caption: str
    """One line; stands for the picture wherever it is not sent."""
    artifact: ArtifactRef
    width_px: PositiveInt
    height_px: PositiveInt


class Message(Model):
    """One message of a conversation."""

    author: Literal["system", "user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    """For a tool's answer: which call it answers."""
    reasoning: tuple[str, ...] = ()
    """Of an assistant: the provider's reasoning blocks, each as received, in JSON. Sent back where tools are called."""
    gist: str = ""
    """What stands for text and images once they are old; its first line alone tells the whole step."""
    stopped_at_line: PositiveInt | None = None
    """For an observation: the line, 1-based, at which the cell before it stopped with an error."""
    images: tuple[Picture, ...] = ()
    """What goes with the text, in this order. Only a user's message has any."""

    @model_validator(mode="after")
    def _only_users_show(self) -> Self:
        if self.images and self.author != "user":
            raise ValueError(f"a message of {self.author} has images; only a user's message may")
        return self


class Condensed(Model):
    """How a conversation was shortened for one call; with the messages of all calls so far, what the model saw.

    A step is a reply and what came of it. Each number counts steps from the first one on, and includes the next.
    """

    rule: NonNegativeInt = 0
    """Which version of the rule made the prompt; 0: nothing was shortened."""
    shortened_steps: NonNegativeInt = 0
    """Their answers have given way to their gists, and code that was not reached or was written to a file is gone."""
    summarised_steps: NonNegativeInt = 0
    """Told in one line each."""
    folded_steps: NonNegativeInt = 0
    """Told by the journal's entries where there are any about them, or by a summary."""
    captioned_images: NonNegativeInt = 0
    """For so many images, from the first one on, stand their captions: the newer ones were sent."""
    captions_only: bool = False
    """The model takes no pictures: captions stand for all of them."""
    forgotten_steps: NonNegativeInt = 0
    """Of the folded ones: told in one line together."""
    recollected_steps: NonNegativeInt = 0
    """For so many steps stands what the newest call of the purpose `memory` replied."""
    longest_text_chars: PositiveInt | None = None
    """Longer texts lost their middle; None: no text was so long that it had to be cut."""


class Usage(Model):
    """What one call, or several, cost."""

    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    duration_s: NonNegativeFloat = 0.0
    cost_usd: NonNegativeFloat | None = None
    """At the provider's list price; None: the price of this model is not known."""
