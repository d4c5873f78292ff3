"""A trace collector for a container of its own: writes each received message to a file, as one line.

A line is the path, a blank, and the body in base64; the test decodes it.
"""

import base64
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

RECEIVED = Path("/tmp/received")
PORT = 4318


class Collector(BaseHTTPRequestHandler):
    """Handles one message at a time, so that lines stay whole."""

    def do_POST(self) -> None:
        """Write the message to the file; answer with an empty OTLP response."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with RECEIVED.open("a", encoding="ascii") as file:
            file.write(f"{self.path} {base64.b64encode(body).decode()}\n")
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    RECEIVED.touch()
    HTTPServer(("", PORT), Collector).serve_forever()
