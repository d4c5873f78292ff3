"""`millwright servers`: what it accepts, and what it writes and lists on a real NATS server."""

import asyncio
import json
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from chassis.administration.provisioning import provision
from chassis.servers.addresses import refused_address
from chassis.settings import BusSettings
from cli.commands.servers.announcer import parse_duration_s, parse_server
from cli.commands.servers.protocol_probe import problem_of
from cli.main import app
from local_stack.errors import UserError
from local_stack.settings import CliSettings
from spatial.array_codec import encode
from typer.testing import CliRunner

from tests.support.clusters.nats_server import NatsServer


@contextmanager
def _server(answer: Callable[[BaseHTTPRequestHandler], tuple[int, bytes]]) -> Generator[str]:
    """Provide the address of a server that answers each request so; a redirect leads to the body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answer(self)
            self.send_response(status)
            if status == HTTPStatus.FOUND:
                self.send_header("Location", body.decode())
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - its parent's name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's name
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _models(*names: str) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name} for name in names]}).encode()


def _model_problem(status: int, body: bytes) -> str | None:
    with _server(lambda _: (status, body)) as url:
        return problem_of(parse_server(f"{url}/v1", "model", "openai:fake", 30), CliSettings())


def _perception_problem(answer: Callable[[BaseHTTPRequestHandler], tuple[int, bytes]]) -> str | None:
    with _server(answer) as url:
        return problem_of(parse_server(url, "perception", None, 30), CliSettings(perception_gpu_token="right"))


def _has_token(request: BaseHTTPRequestHandler) -> bool:
    return request.headers.get("Authorization") == "Bearer right"


def test_server_of_a_model_proves_that_it_serves_it() -> None:
    assert _model_problem(200, _models("fake", "other")) is None
    assert "does not serve fake, but other" in (_model_problem(200, _models("other")) or "")
    for status, body in ((200, b"<html>a router</html>"), (404, b"{}"), (200, b"{}"), (500, _models("fake")[:20])):
        assert "has no list of models" in (_model_problem(status, body) or "")
    assert "asks for a key" in (_model_problem(401, b"") or "")


def test_redirect_is_not_followed() -> None:
    with _server(lambda _: (200, _models("fake"))) as real:
        assert "has no list of models (status 302)" in (_model_problem(302, f"{real}/v1/models".encode()) or "")


def test_perception_server_proves_its_protocol() -> None:
    envelope = encode({"version": 1, "ok": False, "error": {"type": "KeyError", "message": "images"}})
    assert _perception_problem(lambda request: (200, envelope) if _has_token(request) else (401, b"")) is None
    assert _perception_problem(lambda request: (400, b"no images") if _has_token(request) else (401, b"")) is None
    assert "without a token" in (_perception_problem(lambda _: (200, envelope)) or "")
    assert "without a token" in (_perception_problem(lambda _: (404, b"")) or "")
    assert "refuses the bearer token" in (_perception_problem(lambda _: (401, b"")) or "")
    strange = _perception_problem(lambda request: (200, b"<html>") if _has_token(request) else (401, b""))
    assert "not answered in the protocol" in (strange or "")


@pytest.mark.parametrize(
    "host",
    ["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "[fe80::1]",
     "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[fd00:ec2::254]", "100.100.100.200",
     "0.0.0.0", "224.0.0.1"],
)  # fmt: skip
def test_address_of_metadata_is_refused_in_every_notation(host: str) -> None:
    problem = problem_of(parse_server(f"http://{host}/v1", "model", "openai:fake", 30), CliSettings())
    assert "where no server may be" in (problem or "")


def test_name_that_leads_to_metadata_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert "169.254.169.254" in (refused_address("http://harmless.example/v1") or "")


def test_durations_have_units_and_a_limit() -> None:
    assert [parse_duration_s(text) for text in ("90s", "30m", "4h")] == [90, 1800, 14400]
    for text in ("4", "0h", "25h", "4 h", "-1h"):
        with pytest.raises(UserError, match="is not a time of up to 24 hours"):
            parse_duration_s(text)


def test_server_of_a_model_needs_its_name() -> None:
    with pytest.raises(UserError, match="--model openai:NAME"):
        parse_server("http://one/v1", "model", None, 30)


def test_server_is_announced_listed_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nats = NatsServer(tmp_path / "nats")
    nats.start()
    monkeypatch.setenv("NATS_URL", nats.url)
    monkeypatch.setenv("MILLWRIGHT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")

    def output(*arguments: str) -> str:
        return CliRunner().invoke(app, ["servers", *arguments]).output

    try:
        assert "create it with `millwright migrate`" in output("list")
        asyncio.run(provision(BusSettings(nats_url=nats.url)))
        assert "no server is announced" in output("list")
        with _server(lambda _: (200, _models("fake"))) as address:
            url = f"{address}/v1"
            named = (url, "--kind", "model", "--model", "openai:fake")
            assert "announced for 14400 s" in output("add", *named, "--for", "4h")
            assert url in output("list")
            assert "no longer" in output("remove", *named)
        assert "cannot be announced" in output("add", *named, "--for", "4h")
        assert "no server is announced" in output("list")
    finally:
        nats.stop()
