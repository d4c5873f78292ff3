"""What faults are injected into: this machine, and real servers."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import pytest
from local_stack.servers.server_stack import ServerStack

from tests.doctor.live_servers import LiveServers
from tests.doctor.local_machine import LocalMachine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalMachine]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ARTIFACTS_SPOOL"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as cleanup:
        yield LocalMachine(tmp_path, monkeypatch, cleanup)


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerStack]:
    """A NATS server for streams with the wrong configuration."""
    servers = ServerStack(tmp_path_factory.mktemp("broker"), only=("nats-server",)).start()
    yield servers
    servers.stop()
    servers.erase()


@pytest.fixture
async def live_servers(
    servers: ServerStack,
    broker: ServerStack,
    empty_database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[LiveServers]:
    """Real servers, an empty database and no stream."""
    monkeypatch.setenv("ARTIFACTS_SPOOL", str(tmp_path / "spool"))
    environment = {**servers.environment(), "DATABASE_URL": empty_database_url, "NATS_URL": broker.nats_url}
    async with AsyncExitStack() as cleanup:
        yield LiveServers(environment, tmp_path, cleanup)
