"""Replies of OpenAI-compatible servers that arrive piece by piece, put together to one completion."""

# The pieces are JSON from a server: their types are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Any

from agent.model.messages import REASONING_FIELDS

_TEXTS = ("content", "refusal", *REASONING_FIELDS)


class CompletionBuilder:
    """Collects the chunks of one streamed reply."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"role": "assistant", "content": None}
        self._calls: dict[int, dict[str, Any]] = {}
        self._choice: dict[str, Any] = {"index": 0, "finish_reason": None}
        self._whole: dict[str, Any] = {}
        self._has_choice = False
        self.chars = 0
        """Length of everything that the model has written so far."""

    def add(self, chunk: dict[str, Any]) -> None:
        """Add one chunk; raise `ValueError` if it is not one."""
        choices = chunk.get("choices") or []
        self._whole |= {name: value for name, value in chunk.items() if name != "choices" and value is not None}
        for choice in choices[:1]:
            self._has_choice = True
            self._choice |= {"finish_reason": choice.get("finish_reason") or self._choice["finish_reason"]}
            self._add_delta(choice.get("delta") or {})

    def whole(self) -> dict[str, Any]:
        """Return the completion as a server sends it that does not stream."""
        calls = [self._calls[index] for index in sorted(self._calls)]
        message = self._message | ({"tool_calls": calls} if calls else {})
        choices = [self._choice | {"message": message}] if self._has_choice else []
        return self._whole | {"object": "chat.completion", "choices": choices}

    def _add_delta(self, delta: dict[str, Any]) -> None:
        for name in _TEXTS:
            value = delta.get(name)
            if isinstance(value, str):
                self._message[name] = (self._message.get(name) or "") + value
                self.chars += len(value)
            elif isinstance(value, list):  # OpenRouter's reasoning_details
                self._message[name] = _joined(self._message.get(name) or [], value)
                self.chars += len(str(value))
        for call in delta.get("tool_calls") or ():
            self._add_call(call)

    def _add_call(self, call: dict[str, Any]) -> None:
        index = call.get("index")
        if index is None:  # servers that send each call in one piece may leave it out
            index = len(self._calls)
        function = call.get("function") or {}
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        known = self._calls.setdefault(index, empty)
        known["id"] = call.get("id") or known["id"]
        known["function"]["name"] = function.get("name") or known["function"]["name"]
        arguments = function.get("arguments") or ""
        known["function"]["arguments"] += arguments
        self.chars += len(arguments)


def _joined(blocks: list[Any], more: list[Any]) -> list[Any]:
    """Return blocks of reasoning with more of them; pieces of one block have its index and continue its texts."""
    by_index = {block["index"]: block for block in blocks if isinstance(block, dict) and "index" in block}
    joined = list(blocks)
    for piece in more:
        known = by_index.get(piece.get("index")) if isinstance(piece, dict) else None
        if known is None:
            joined.append(piece)
            continue
        for name, value in piece.items():
            continues = name in {"text", "summary", "data"} and isinstance(value, str)
            known[name] = (known.get(name) or "") + value if continues else value
    return joined
