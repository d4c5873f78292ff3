"""An S3 server with one fault. It checks no credentials, and holds one object at a time."""

import time
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self

ERROR = """<?xml version="1.0"?><Error><Code>InternalError</Code><Message>disk on fire</Message></Error>"""


class FaultyS3:
    """Use it in `with`. It returns `corrupt` bytes for what was stored, delays each answer by `slow_s`, has a clock
    that is `ahead_s`, or answers everything with `status`."""

    def __init__(self, corrupt: bytes = b"", slow_s: float = 0.0, ahead_s: float = 0.0, status: int = 200) -> None:
        self.corrupt = corrupt
        self.slow_s = slow_s
        self.ahead_s = ahead_s
        self.status = status
        self.stored = b""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def endpoint(self) -> str:
        """The value for `S3_ENDPOINT`."""
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(server: FaultyS3) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(b"", 200)

        def do_DELETE(self) -> None:
            self._answer(b"", 204)

        def do_PUT(self) -> None:
            server.stored = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(b"", 200)

        def do_GET(self) -> None:
            is_blob = len(self.path) > 1
            self._answer((server.corrupt or server.stored) if is_blob else b"", 200)

        def _answer(self, body: bytes, status: int) -> None:
            time.sleep(server.slow_s)
            is_refused = server.status != HTTPStatus.OK
            body = ERROR.encode() if is_refused else body
            self.send_response_only(server.status if is_refused else status)
            self.send_header("Date", formatdate(time.time() + server.ahead_s, usegmt=True))
            self.send_header("Content-Type", "application/xml")
            self.send_header("ETag", '"1"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Log nothing."""

    return Handler
