"""`millwright servers`: what it accepts, and what it writes and lists on a real NATS server."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from chassis.administration.provisioning import provision
from chassis.settings import BusSettings
from cli.commands.servers.announcer import parse_duration_s, parse_server
from cli.main import app
from local_stack.errors import UserError
from typer.testing import CliRunner

from tests.support.clusters.nats_server import NatsServer


@contextmanager
def _web_server() -> Generator[str]:
    """Provide the address of a server that answers: it does not know the path, which is enough."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


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
        with _web_server() as url:
            named = (url, "--kind", "model", "--model", "openai:fake")
            assert "announced for 14400 s" in output("add", *named, "--for", "4h")
            assert url in output("list")
            assert "no longer" in output("remove", *named)
        assert "does not answer" in output("add", *named, "--for", "4h")
        assert "no server is announced" in output("list")
    finally:
        nats.stop()
