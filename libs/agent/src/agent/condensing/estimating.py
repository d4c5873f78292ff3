"""How many tokens a prompt takes, estimated offline and rather too high than too low."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from contracts.conversation import Message
from pydantic import BaseModel

BYTES_PER_TOKEN = 3
"""English has four and more; code, and above all numbers, have fewer."""
TOKENS_PER_MESSAGE = 4
"""What providers add for the author and the ends of a message."""


def tokens_of_messages(messages: Iterable[Message]) -> int:
    """Return how many tokens these messages take together."""
    return sum(map(_tokens_of_message, messages))


def tokens_of_tools(tools: Sequence[type[BaseModel]]) -> int:
    """Return how many tokens the schemas of these tools take: they go along with every call."""
    return sum(map(_tokens_of_tool, tools))


def _tokens_of_message(message: Message) -> int:
    texts = [message.text, message.tool_call_id or ""]
    for call in message.tool_calls:
        texts += [call.call_id, call.name, call.arguments_json]
    return TOKENS_PER_MESSAGE + sum(map(_tokens_of_text, texts))


@lru_cache
def _tokens_of_tool(tool: type[BaseModel]) -> int:
    return TOKENS_PER_MESSAGE + _tokens_of_text(json.dumps(tool.model_json_schema()))


def _tokens_of_text(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)
