"""One host for all tests of the library, whose children run code given as text."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sandbox.host import SandboxHost

from tests.sandbox.untrusted_code import ALLOWANCE, PROGRAMS


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def host(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SandboxHost]:
    """A started host."""
    host = SandboxHost(PROGRAMS, tmp_path_factory.mktemp("sandbox"))
    await host.start()
    yield host
    await host.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def strict_host(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SandboxHost]:
    """A host with low limits."""
    host = SandboxHost(PROGRAMS, tmp_path_factory.mktemp("strict"), parallel_jobs=3, allowance=ALLOWANCE)
    await host.start()
    yield host
    await host.stop()
