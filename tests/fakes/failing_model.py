"""A chat-completions server that answers with given errors."""

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def _handler(answers: list[tuple[int, dict[str, Any]]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, content = answers.pop(0) if len(answers) > 1 else answers[0]
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of the standard library
            """Stay quiet."""

    return Handler


@contextmanager
def failing_model(*answers: tuple[int, dict[str, Any]]) -> Generator[str]:
    """Give these answers, one after the other and the last one again and again; yield the base URL."""
    waiting: Sequence[tuple[int, dict[str, Any]]] = answers
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(list(waiting)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def error_body(message: str, code: str = "") -> dict[str, Any]:
    """Return the body of an error in the format of OpenAI and Anthropic."""
    return {"type": "error", "error": {"type": code or "error", "code": code, "message": message}}
