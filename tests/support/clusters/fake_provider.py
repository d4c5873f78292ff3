"""A fake model provider: an HTTP server for OpenAI's chat completions whose replies a test decides, to the byte."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

JSON = "application/json"
Script = Callable[[Sequence[BaseMessage], str], AIMessage]
"""From a conversation, and the label in the model's name, to a reply."""


@dataclass(frozen=True)
class HttpReply:
    """One HTTP reply."""

    body: bytes
    status: int = 200
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    claimed_bytes: int | None = None
    """The value of `Content-Length`; None: the true one."""
    byte_every_s: float | None = None
    """Pause between single bytes; None: send everything at once."""
    after_s: float = 0.0
    piece_every_s: float | None = None
    """Pause before each piece of a streamed reply."""

    @property
    def arrives(self) -> bool:
        """Whether a client gets all of it, and it is a model's reply."""
        return self.status == 200 and self.claimed_bytes is None and self.byte_every_s is None and not self.after_s


Responder = Callable[[dict[str, Any]], HttpReply]
"""From the body of a request to its reply."""


class FakeProvider:
    """The server, as a context manager on a free loopback port.

    It sends its replies in order, the last one again and again; with `respond`, the reply depends on the request.
    `respond` is called from several threads.
    """

    def __init__(self, *replies: HttpReply, respond: Responder | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        """Their bodies."""
        self.authorizations: list[str] = []
        self._respond = respond or _in_order(replies)
        self._lock = threading.Lock()
        self._is_stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """The address; the server takes requests at any path below it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        """Number of requests: each would have been paid for."""
        return len(self.requests)

    @property
    def calls_of(self) -> Counter[str]:
        """Number of requests by the model's name."""
        return Counter(request["model"] for request in list(self.requests))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Close the server; calling it twice is harmless."""
        if self._is_stopped.is_set():
            return
        self._is_stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, handler: BaseHTTPRequestHandler) -> dict[str, Any]:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(request)
            self.authorizations.append(handler.headers.get("Authorization", ""))
        return request

    def _send(self, handler: BaseHTTPRequestHandler, reply: HttpReply) -> None:
        self._is_stopped.wait(reply.after_s)
        handler.send_response(reply.status)
        length = len(reply.body) if reply.claimed_bytes is None else reply.claimed_bytes
        headers = {"Content-Type": reply.media_type, "Connection": "close"}
        headers |= {"Content-Length": str(length)} if reply.piece_every_s is None else {}
        for name, value in (headers | dict(reply.headers)).items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.piece_every_s is not None:
            for piece in reply.body.split(b"\n\n"):
                self._is_stopped.wait(reply.piece_every_s)
                handler.wfile.write(piece + b"\n\n")
            return
        if reply.byte_every_s is None:
            handler.wfile.write(reply.body)
            return
        for byte in reply.body:
            handler.wfile.write(bytes([byte]))
            time.sleep(reply.byte_every_s)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        take, respond, send = self._take, self._respond, self._send

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.close_connection = True  # so that clients notice the end of a truncated reply
                try:
                    send(self, respond(take(self)))
                except (BrokenPipeError, ConnectionResetError):
                    """The client did not wait."""

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the standard library
                """Keep pytest's output free of access logs."""

        return Handler


def _in_order(replies: Sequence[HttpReply]) -> Responder:
    lock, left = threading.Lock(), list(replies)

    def respond(_: dict[str, Any]) -> HttpReply:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return respond


def expert_provider(scripts: Mapping[str, Script] | None = None) -> FakeProvider:
    """Return a provider whose model `NAME.LABEL` is the script of that name; any other is the offline expert."""
    expert, known = offline_chat(), dict(scripts or {})

    def respond(request: dict[str, Any]) -> HttpReply:
        messages = read_messages(request["messages"])
        name, _, label = request["model"].partition(".")
        return reply_of(known[name](messages, label) if name in known else expert.invoke(messages))

    return FakeProvider(respond=respond)


@contextmanager
def failing_provider(status: int, message: str, code: str = "") -> Generator[str]:
    """Answer every request with this error; yield the base URL."""
    with FakeProvider(error(status, message, code)) as provider:
        yield provider.base_url


def completion(content: str | None, finish_reason: str = "stop", **message: Any) -> HttpReply:
    """Return a model's reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}}
    body = {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [choice | {"finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    return HttpReply(json.dumps(body).encode())


def streamed(
    *deltas: Mapping[str, Any], every_s: float = 0.0, finish_reason: str = "stop", cached_tokens: int = 0
) -> HttpReply:
    """Return a reply that is streamed in these pieces; an empty one is a comment that keeps the connection alive."""
    head = {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
    chunks: list[dict[str, Any] | None] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} if delta else None
        for delta in deltas
    ]
    usage: dict[str, Any] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if cached_tokens:
        usage["prompt_tokens_details"] = {"cached_tokens": cached_tokens}
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
    chunks.append({**head, "choices": [], "usage": usage})
    lines = [f"data: {json.dumps(chunk)}" if chunk else ": keepalive" for chunk in chunks]
    body = "\n\n".join([*lines, "data: [DONE]"])
    return HttpReply(body.encode(), media_type="text/event-stream", piece_every_s=every_s)


def tool_call(name: str, arguments_json: str, **message: Any) -> HttpReply:
    """Return a reply that calls a tool with exactly these arguments."""
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments_json}}
    return completion(None, "tool_calls", tool_calls=[call], **message)


def error(status: int, message: str, code: str = "", **headers: str) -> HttpReply:
    """Return an error in the form of OpenAI and Anthropic; `retry_after="1"` becomes the header of that name."""
    fields = {"message": message, "type": code or "error", "code": code}
    body = json.dumps({"type": "error", "error": fields}).encode()
    return HttpReply(body, status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def reply_of(message: AIMessage) -> HttpReply:
    """Return LangChain's message as an HTTP reply."""
    if not message.tool_calls:
        return completion(message.text or None)
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in message.tool_calls
    ]
    return completion(message.text or None, "tool_calls", tool_calls=calls)


def read_messages(messages: Sequence[dict[str, Any]]) -> list[BaseMessage]:
    """Return the messages of a request as LangChain's."""
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


def _assistant(message: dict[str, Any]) -> AIMessage:
    calls = [
        {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
        for call in message.get("tool_calls") or ()
    ]
    return AIMessage(content=message.get("content") or "", tool_calls=calls)
