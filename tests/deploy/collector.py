"""Runs in a container of its own: takes whatever is posted to it, and keeps it in a file, one line for each message.

A line is the path, a blank, and the body in base64. The test reads what it says, having OpenTelemetry's language.
"""

import base64
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

KEPT = Path("/tmp/received")
PORT = 4318


class Collector(BaseHTTPRequestHandler):
    """One message of somebody who sends traces or figures; the next one waits, so that lines stay whole."""

    def do_POST(self) -> None:
        """Keep it; say that it was taken, in the language's shortest way: a message without fields."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with KEPT.open("a", encoding="ascii") as file:
            file.write(f"{self.path} {base64.b64encode(body).decode()}\n")
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    KEPT.touch()
    HTTPServer(("", PORT), Collector).serve_forever()
