"""A broker of a test's own, which may lose its stream."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clusters.nats_server import NatsServer


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    server.start()
    yield server
    server.stop()
