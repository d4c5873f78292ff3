"""What faults are injected into."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import pytest
from local_stack.servers.server_stack import ServerStack

from .injecting import Injecting
from .real_servers import Site


@pytest.fixture
def injecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Injecting]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ARTIFACTS_SPOOL"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as undoing:
        yield Injecting(tmp_path, monkeypatch, undoing)


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerStack]:
    """A NATS server for streams that are as they must not be."""
    servers = ServerStack(tmp_path_factory.mktemp("broker"), only=("nats-server",)).start()
    yield servers
    servers.stop()
    servers.erase()


@pytest.fixture
async def site(
    servers: ServerStack,
    broker: ServerStack,
    empty_database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Site]:
    """Real servers, an empty database and no stream."""
    monkeypatch.setenv("ARTIFACTS_SPOOL", str(tmp_path / "spool"))
    named = {**servers.environment(), "DATABASE_URL": empty_database_url, "NATS_URL": broker.nats_url}
    async with AsyncExitStack() as undoing:
        yield Site(named, tmp_path, undoing)
