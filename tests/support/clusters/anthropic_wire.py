"""Replies of Anthropic's messages API, streamed as its servers do."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.clusters.fake_provider import HttpReply

Event = Mapping[str, Any]
PING: Event = {"type": "ping"}
"""An event that keeps the connection alive."""
_USAGE = {"input_tokens": 10, "output_tokens": 5}
_DELTAS = {"text": "text_delta", "thinking": "thinking_delta", "signature": "signature_delta"}


def anthropic_reply(*content: Mapping[str, Any], piece_chars: int = 12, every_s: float = 0.0) -> HttpReply:
    """Return a whole reply with these content blocks, in pieces."""
    return anthropic_stream(*opening(), *blocks(*content, piece_chars=piece_chars), *ending(), every_s=every_s)


def anthropic_stream(*events: Event, every_s: float = 0.0) -> HttpReply:
    """Return any events as a stream."""
    body = "\n\n".join(f"event: {event['type']}\ndata: {json.dumps(event)}" for event in events)
    return HttpReply(f"{body}\n\n".encode(), media_type="text/event-stream", piece_every_s=every_s)


def opening() -> list[Event]:
    """Return the event by which a reply begins."""
    message: Event = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": [],
        "usage": _USAGE,
    }
    return [{"type": "message_start", "message": message}]


def blocks(*content: Mapping[str, Any], piece_chars: int = 12) -> list[Event]:
    """Return the events of content blocks: text, thinking, redacted thinking, or calls of tools."""
    return [event for index, block in enumerate(content) for event in _block(index, block, piece_chars)]


def ending(stop_reason: str = "end_turn") -> list[Event]:
    """Return the events by which a reply ends."""
    delta = {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}, "usage": _USAGE}
    return [delta, {"type": "message_stop"}]


def _block(index: int, block: Mapping[str, Any], piece_chars: int) -> list[Event]:
    begun = {name: value if name not in {*_DELTAS, "input"} else "" for name, value in block.items()}
    if "input" in block:
        begun["input"] = {}
    start = {"type": "content_block_start", "index": index, "content_block": begun}
    deltas = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block, piece_chars)]
    return [start, *deltas, {"type": "content_block_stop", "index": index}]


def _deltas(block: Mapping[str, Any], piece_chars: int) -> Sequence[Event]:
    if "input" in block:
        pieces = _pieces(json.dumps(block["input"]), piece_chars)
        return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    written = [(name, block[name]) for name in _DELTAS if name in block]
    return [
        {"type": _DELTAS[name], name: piece}
        for name, value in written
        for piece in ([value] if name == "signature" else _pieces(value, piece_chars))
    ]


def _pieces(text: str, chars: int) -> list[str]:
    return [text[start : start + chars] for start in range(0, len(text), chars)]
