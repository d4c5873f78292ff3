"""A chat-completions endpoint that counts its calls and lets the offline expert, or a script, answer them.

It stands for a paid model: whatever `langchain-openai` sends is a call that somebody would have been charged for.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

Script = Callable[[Sequence[BaseMessage], str], AIMessage]
"""From a conversation, and the label in the model's name, to a reply."""


def _assistant(message: dict[str, Any]) -> AIMessage:
    calls = [
        {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        for call in message.get("tool_calls") or ()
    ]
    return AIMessage(content=message.get("content") or "", tool_calls=calls)


def read_messages(messages: Sequence[dict[str, Any]]) -> list[BaseMessage]:
    """Return what a client has sent as LangChain has it."""
    read: list[BaseMessage] = []
    for message in messages:
        match message["role"]:
            case "system" | "developer":
                read.append(SystemMessage(message["content"]))
            case "user":
                read.append(HumanMessage(message["content"]))
            case "assistant":
                read.append(_assistant(message))
            case "tool":
                read.append(ToolMessage(message["content"], tool_call_id=message["tool_call_id"]))
            case other:
                raise ValueError(f"unknown role {other}")
    return read


def completion_of(reply: AIMessage) -> dict[str, Any]:
    """Return a reply as OpenAI's API has it."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.content or None}
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
            }
            for call in reply.tool_calls
        ]
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if reply.tool_calls else "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


class FakeOpenAI:
    """The server, as a context manager on a free loopback port; `calls` counts what was asked of it.

    A model called `NAME.LABEL` is answered by the script of that name, any other by the offline expert.
    """

    def __init__(self, scripts: Mapping[str, Script] | None = None) -> None:
        self.calls = 0
        self.calls_of: Counter[str] = Counter()
        """By the model's name."""
        self._scripts = dict(scripts or {})
        self._lock = threading.Lock()
        self._expert = offline_chat()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: dict[str, Any]) -> bytes:
        with self._lock:
            self.calls += 1
            self.calls_of[request["model"]] += 1
        messages = read_messages(request["messages"])
        name, _, label = request["model"].partition(".")
        reply = self._scripts[name](messages, label) if name in self._scripts else self._expert.invoke(messages)
        return json.dumps(completion_of(reply)).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer = self._answer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the standard library
                """Stay quiet: pytest's output is for results."""

        return Handler
