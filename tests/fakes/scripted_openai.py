"""A chat-completions server that sends scripted bytes, failures included, and records its requests."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

JSON = "application/json"


@dataclass(frozen=True)
class Wire:
    """One HTTP answer."""

    body: bytes
    status: int = 200
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    claimed_bytes: int | None = None
    """Value of `Content-Length`; None: the true length."""
    byte_every_s: float | None = None
    """Send it in single bytes with these pauses; None: at once."""
    after_s: float = 0.0

    @property
    def arrives(self) -> bool:
        """Whether a client gets the whole of it, and it is a model's reply."""
        return self.status == 200 and self.claimed_bytes is None and self.byte_every_s is None and not self.after_s


def completion(content: str | None, finish_reason: str = "stop", **message: Any) -> Wire:
    """Return a model's reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}}
    body = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice | {"finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    return Wire(json.dumps(body).encode())


def tool_call(name: str, arguments_json: str, **message: Any) -> Wire:
    """Return a reply that calls a tool, with its arguments exactly so."""
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments_json}}
    return completion(None, "tool_calls", tool_calls=[call], **message)


def error(status: int, message: str, code: str = "", **headers: str) -> Wire:
    """Return an error in OpenAI's format; `retry_after="1"` becomes the header of that name."""
    body = json.dumps({"error": {"message": message, "type": code or "error", "code": code}}).encode()
    return Wire(body, status, headers={name.replace("_", "-"): value for name, value in headers.items()})


class ScriptedOpenAI:
    """The server, as a context manager on a free loopback port; the last answer is given again and again.

    With `cast`, which is called by one thread at a time, the answer depends on the request.
    """

    def __init__(self, *wires: Wire, cast: Callable[[dict[str, Any]], Wire] | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self._wires: Sequence[Wire] = wires
        self._cast = cast or self._in_order
        self._lock = threading.Lock()
        self._gone = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop answering; idempotent."""
        if self._gone.is_set():
            return
        self._gone.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self, handler: BaseHTTPRequestHandler) -> Wire:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(request)
            self.authorizations.append(handler.headers.get("Authorization", ""))
            return self._cast(request)

    def _in_order(self, request: dict[str, Any]) -> Wire:
        return self._wires[min(len(self.requests), len(self._wires)) - 1]

    def _send(self, handler: BaseHTTPRequestHandler, wire: Wire) -> None:
        self._gone.wait(wire.after_s)
        handler.send_response(wire.status)
        length = len(wire.body) if wire.claimed_bytes is None else wire.claimed_bytes
        headers = {
            "Content-Type": wire.media_type,
            "Content-Length": str(length),
            "Connection": "close",
            **wire.headers,
        }
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if wire.byte_every_s is None:
            handler.wfile.write(wire.body)
            return
        for byte in wire.body:
            handler.wfile.write(bytes([byte]))
            time.sleep(wire.byte_every_s)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        take, send = self._next, self._send

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.close_connection = True  # so that what is cut is seen to be over
                try:
                    send(self, take(self))
                except (BrokenPipeError, ConnectionResetError):
                    """The client did not wait."""

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the standard library
                """Stay quiet."""

        return Handler
