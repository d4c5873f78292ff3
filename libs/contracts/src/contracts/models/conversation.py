"""Messages between a role and its model."""

import json
from typing import Literal, Self, cast

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from contracts.model import Model
from contracts.models.artifact import ArtifactRef

Ending = Literal["complete", "cut_off", "refused"]
"""How a reply ended. `cut_off`: it reached the length limit. `refused`: the model, or a filter of its provider,
declined to answer; the text is the explanation."""


class ToolCall(Model):
    """A tool call as the model wrote it."""

    call_id: str
    name: str
    arguments_json: str


class Picture(Model):
    """A reference to an image that belongs to a message."""

    caption: str
    """One line of text that replaces the image where the image is not sent."""
    artifact: ArtifactRef
    width_px: PositiveInt
    height_px: PositiveInt
    shows: str = ""
    """What it shows, sent beside the image after the caption: views, axes, colours and moments."""


class Message(Model):
    """One message of a conversation."""

    author: Literal["system", "user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    """For a tool's reply: the call that it answers."""
    reasoning: tuple[str, ...] = ()
    """Of an assistant: the provider's reasoning blocks as received, in JSON. Sent back if the model calls tools."""
    gist: str = ""
    """Replaces text and images of old steps; its first line alone summarizes the whole step. Of a system prompt: the
    shorter one for small budgets."""
    stopped_at_line: PositiveInt | None = None
    """For an observation: the 1-based line at which its cell stopped with an error."""
    images: tuple[Picture, ...] = ()
    """Images that belong to the text, in this order. Only user messages have images."""

    @model_validator(mode="after")
    def _require_images_from_user_only(self) -> Self:
        if self.images and self.author != "user":
            raise ValueError(f"a message of author {self.author} has images; only user messages may have images")
        return self


class Condensed(Model):
    """How a conversation was shortened for one call. With the messages of all calls so far, it determines the prompt.

    A step is a reply and its result. Each number counts steps from the first one, and includes the numbers below it.
    """

    rule: NonNegativeInt = 0
    """Version of the rule that made the prompt; 0: nothing was shortened."""
    shortened_steps: NonNegativeInt = 0
    """Steps whose results were replaced by their gists; code that did not run or was written to a file is left out."""
    summarised_steps: NonNegativeInt = 0
    """Steps reduced to one line each."""
    folded_steps: NonNegativeInt = 0
    """Steps replaced by journal entries about them, or by a summary."""
    captioned_images: NonNegativeInt = 0
    """Number of images, from the first one, that were replaced by their captions; newer ones were sent."""
    captions_only: bool = False
    """Whether all images were replaced by their captions, because the model accepts no images."""
    forgotten_steps: NonNegativeInt = 0
    """Folded steps that were reduced to one line together."""
    recollected_steps: NonNegativeInt = 0
    """Number of steps replaced by the reply to the newest call of the purpose `memory`."""
    longest_text_chars: PositiveInt | None = None
    """Longer texts were cut in the middle; None: no text was cut."""
    short_system: bool = False
    """Whether the system prompt was replaced by its gist."""


class Usage(Model):
    """Tokens, time and cost of one model call or of several."""

    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    duration_s: NonNegativeFloat = 0.0
    cost_usd: NonNegativeFloat | None = None
    """At the provider's list price. None: the price of the model is unknown."""
    cached_input_tokens: NonNegativeInt = 0
    """Of the input: tokens that the provider reports as read from its cache."""


def thought_of(block: str) -> str:
    """Return the text of a provider's block of reasoning, which is JSON of several forms."""
    try:
        found: object = json.loads(block)
    except ValueError:
        return block
    return "\n\n".join(_texts_in(found))


def _texts_in(found: object) -> list[str]:
    """Return the texts of a block: under the names that providers use for them."""
    names = ("reasoning_content", "reasoning", "thinking", "text", "summary", "reasoning_details")
    if isinstance(found, str):
        return [found]
    if isinstance(found, list):
        return [text for each in cast("list[object]", found) for text in _texts_in(each)]
    if isinstance(found, dict):
        fields = cast("dict[str, object]", found)
        return [text for name in names if name in fields for text in _texts_in(fields[name])]
    return []
