"""Tokens of a run's requests: all of them, and what a provider bills that caches the beginning of prompts."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from itertools import takewhile
from typing import Any

CACHED_SHARE = 0.1
"""Price of a cached token over that of another, for GPT-5 and Anthropic's models; writing to a cache is not added."""
TOKENS_PER_MESSAGE = 4
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True)
class TokenCost:
    """Sums over requests and their replies."""

    requests: int = 0
    sent: int = 0
    cached: int = 0
    """Of those sent: what the same role's previous request began with, too."""
    replied: int = 0

    @property
    def raw(self) -> int:
        """All tokens, each once per request."""
        return self.sent + self.replied

    @property
    def discounted(self) -> int:
        """All tokens, cached ones at their share."""
        return round(self.raw - (1 - CACHED_SHARE) * self.cached)

    def __add__(self, other: "TokenCost") -> "TokenCost":
        return TokenCost(
            self.requests + other.requests,
            self.sent + other.sent,
            self.cached + other.cached,
            self.replied + other.replied,
        )


def cost_of(
    exchanges: Iterable[tuple[str, Mapping[str, Any], str]], count: Callable[[str], int]
) -> dict[str, TokenCost]:
    """Return the cost by role of requests in order: role, body of chat completions, and the text of the reply.

    `count` returns the tokens of a text.
    """
    costs: dict[str, TokenCost] = {}
    before: dict[str, list[str]] = {}
    for role, request, reply in exchanges:
        pieces = _pieces(request)
        same = takewhile(lambda pair: pair[0] == pair[1], zip(before.get(role, ()), pieces, strict=False))
        cached = sum(count(piece) + TOKENS_PER_MESSAGE for piece, _ in same)
        sent = sum(count(piece) + TOKENS_PER_MESSAGE for piece in pieces)
        costs[role] = costs.get(role, TokenCost()) + TokenCost(1, sent, cached, count(reply))
        before[role] = pieces
    return costs


def _pieces(request: Mapping[str, Any]) -> list[str]:
    """Return tools and messages as texts, in the order in which providers put them together."""
    tools: list[object] = request.get("tools") or []
    return [json.dumps(tools), *map(_text_of, request["messages"])] if tools else [*map(_text_of, request["messages"])]


def _text_of(message: Mapping[str, Any]) -> str:
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return "\n".join([message.get("content") or "", *(f"{call['name']} {call['arguments']}" for call in calls)])


@lru_cache
def make_counter() -> tuple[str, Callable[[str], int]]:
    """Return a tokenizer's name and its count: that of GPT-4o and GPT-5 if `bpe-openai` is installed, or characters."""
    try:
        encoding: Any = import_module("bpe_openai").get_encoding("o200k_base")
    except ModuleNotFoundError:
        name = f"{_CHARS_PER_TOKEN} characters a token; with `bpe-openai` in .venv its exact count"
        return name, lambda text: -(-len(text) // _CHARS_PER_TOKEN)

    @cache
    def count(text: str) -> int:
        return len(encoding.encode(text))

    return f"o200k_base, bpe-openai {version('bpe-openai')}", count
