"""Offline token estimate of prompts, rather too high than too low."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil

from contracts.models.conversation import Message, Picture
from pydantic import BaseModel

BYTES_PER_TOKEN = 3
"""English has four and more; code, and above all numbers, have fewer."""
TOKENS_PER_MESSAGE = 4
"""What providers add for the author and the ends of a message."""
_PIXELS_PER_TOKEN = 750
"""Anthropic, guide "Vision", "Calculate image costs"."""
_TILE_PX, _TOKENS_PER_TILE, _TOKENS_BESIDE_TILES = 512, 170, 85
"""OpenAI, guide "Images and vision", "Calculating costs": GPT-4o; it makes large pictures smaller first."""
_PATCH_PX, _TOKENS_PER_PATCH = 32, 1.62
"""The same guide: the mini models. Two count more, gpt-4.1-nano (2.46) and gpt-4o-mini (2833 + 5667 a tile): set a
smaller budget for them."""


def tokens_of_messages(messages: Iterable[Message]) -> int:
    """Return the tokens of these messages together."""
    return sum(map(tokens_of_message, messages))


def tokens_of_tools(tools: Sequence[type[BaseModel]]) -> int:
    """Return the tokens of the tools' schemas, which go along with every call."""
    return sum(map(_tokens_of_tool, tools))


def tokens_of_message(message: Message) -> int:
    """Return the tokens of one message, its pictures included; the unit of spans in `journal.timeline`."""
    texts = [message.text, message.tool_call_id or ""]
    for call in message.tool_calls:
        texts += [call.call_id, call.name, call.arguments_json]
    texts += message.reasoning if message.tool_calls else ()  # elsewhere it is not sent
    texts += [f"{image.caption}\n{image.shows}" for image in message.images]
    images = sum(tokens_of_image(image) for image in message.images)
    return TOKENS_PER_MESSAGE + sum(map(_tokens_of_text, texts)) + images


def tokens_of_image(image: Picture) -> int:
    """Return the tokens of a picture by its size in pixels: the highest figure of the providers' formulas."""
    width, height = image.width_px, image.height_px
    by_area = ceil(width * height / _PIXELS_PER_TOKEN)
    by_tiles = _TOKENS_BESIDE_TILES + _TOKENS_PER_TILE * ceil(width / _TILE_PX) * ceil(height / _TILE_PX)
    by_patches = ceil(_TOKENS_PER_PATCH * ceil(width / _PATCH_PX) * ceil(height / _PATCH_PX))
    return 2 * TOKENS_PER_MESSAGE + max(by_area, by_tiles, by_patches)  # picture and caption are blocks of their own


@lru_cache
def _tokens_of_tool(tool: type[BaseModel]) -> int:
    return TOKENS_PER_MESSAGE + _tokens_of_text(json.dumps(tool.model_json_schema()))


def _tokens_of_text(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
