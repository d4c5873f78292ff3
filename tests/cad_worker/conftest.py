"""A host, a world and sessions for the tests of this folder."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from artifacts.port import reference
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentFiles
from cad_worker.session_protocol import SessionOrder
from kernel_host.sessions.session import Session

from tests.support.kernel_world import ENVIRONMENT_CODE, assignment


@pytest.fixture(scope="session")
def host(kernel_host: KernelHost) -> KernelHost:
    """The host of all tests."""
    return kernel_host


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def environment(host: KernelHost) -> EnvironmentFiles:
    """The world of `worlds`, built as in production."""
    code = reference(ENVIRONMENT_CODE.encode(), "text/x-python")
    build = await host.build_environment(ENVIRONMENT_CODE, assignment(code).variant)
    assert build.files is not None, build.fault
    return build.files


@pytest.fixture(scope="session")
def order(environment: EnvironmentFiles) -> SessionOrder:
    """The order of a session in that environment."""
    code = reference(ENVIRONMENT_CODE.encode(), "text/x-python")
    return SessionOrder(assignment=assignment(code), environment=environment.geometry)


@pytest_asyncio.fixture(loop_scope="session")
async def session(host: KernelHost, order: SessionOrder) -> AsyncIterator[Session]:
    """A session of its own."""
    session = await host.open_session(order, {"plan.md": b"# Plan\n"}, {"todo.md": "", "journal.md": ""})
    yield session
    await session.close()


@pytest_asyncio.fixture(loop_scope="session")
async def other(host: KernelHost, order: SessionOrder) -> AsyncIterator[Session]:
    """Another session of the same worker."""
    session = await host.open_session(order, {}, {})
    yield session
    await session.close()
