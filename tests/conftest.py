"""Real servers, started once for all tests that ask for one, and gone at the end."""

import asyncio
import gc
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from artifacts.settings import S3Settings
from cad_worker.host import KernelHost
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.settings import BusSettings
from hypothesis import HealthCheck, settings
from local_stack.servers.server_stack import ServerStack
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from store.database import Database
from store.migrate import migrate
from store.settings import DatabaseSettings
from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs] - it has none
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

from tests.support.clusters.nats_server import NatsServer, serving
from tests.support.kernel_world import SECRET

MINUTES_EACH = (
    "tests/simulation/",
    "tests/whole_run/",
    "tests/flows/",
    "tests/cli/running_stack/",
    "tests/cli/certification/",
    "tests/judged_designs/",
    "tests/web/",
    "tests/cli/",
    "tests/suite/",
    "tests/doctor/",
    "tests/local_stack/",
)
"""The slowest, which start first, so that parallel processes end at about the same time."""

ONE_PROCESS_EACH = ("tests/whole_run/", "tests/architecture/", "tests/contracts/", "tests/manifests/")
"""Folders whose files share what is expensive: one run that they examine, the syntax trees of all sources, the built
manifests."""


# The same examples each time; and no limit in seconds, which a busy machine would exceed.
settings.register_profile("tests", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

gc.disable()  # collecting imports a million objects that stay: to search them again and again takes seconds


def pytest_collection_finish() -> None:
    """Leave what was imported out of all later collections."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the order but for these; what is full is then left out by `-m`."""
    _mark_full(items)
    items.sort(key=lambda item: not item.nodeid.startswith(MINUTES_EACH))


def _mark_full(items: Sequence[pytest.Item]) -> None:
    """Mark the cases beyond the sample of each test that has `pytest.mark.sample(count)`, spread evenly."""
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") is not None:
            cases[item.nodeid.partition("[")[0]].append(item)
    for each in cases.values():
        mark = each[0].get_closest_marker("sample")
        assert mark is not None
        (count,) = mark.args
        kept = {round(place * (len(each) - 1) / max(count - 1, 1)) for place in range(count)}
        for place, item in enumerate(each):
            if place not in kept:
                item.add_marker("full")


class FolderScheduling(LoadScopeScheduling):
    """Give each process whole files, or whole folders of files that share something expensive."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, _ = nodeid.partition("::")
        return next((folder for folder in ONE_PROCESS_EACH if file.startswith(folder)), file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FolderScheduling:
    """Replace `--dist=loadfile`."""
    return FolderScheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def small_films() -> Iterator[None]:
    """Films in tests are small, in all processes: at full size a film takes 8 s of CPU. APIs take any free port."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIM_VIDEO_WIDTH", "160")
        patch.setenv("SIM_VIDEO_HEIGHT", "120")
        patch.setenv("GATEWAY_PORT", "0")  # stacks of several tests may run at once
        yield


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerStack]:
    """NATS, Postgres and S3 on free ports."""
    stack = ServerStack(tmp_path_factory.mktemp("servers"))
    stack.start()
    yield stack
    stack.stop()
    stack.erase()


@pytest.fixture(scope="session")
def nats_url(servers: ServerStack) -> str:
    """A NATS server that all tests share, with its stream: tell runs apart by their ids."""
    asyncio.run(provision(BusSettings(nats_url=servers.nats_url)))
    return servers.nats_url


@pytest.fixture
def bare_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A NATS server of the test's own, without streams."""
    with serving(tmp_path / "nats") as server:
        yield server


@pytest.fixture(scope="session")
def database_url(servers: ServerStack) -> str:
    """A migrated database that all tests share: tell runs apart by their ids."""
    asyncio.run(migrate(DatabaseSettings(database_url=servers.database_url)))
    return servers.database_url


@pytest.fixture(scope="session")
def filled_database_url(servers: ServerStack) -> str:
    """A migrated database for tests that store what no whole run may meet: skills without contents, times of year 1."""
    return _new_database(servers, "filled_by_tests")


@pytest.fixture(scope="session")
def pages_database_url(servers: ServerStack) -> str:
    """A migrated database for walks through the pages: their lists show no run of other tests, whose pictures lack."""
    return _new_database(servers, "walked_by_tests")


def _new_database(servers: ServerStack, name: str) -> str:
    url = servers.database_url.rpartition("/")[0] + f"/{name}"
    asyncio.run(_execute(servers.database_url, f"CREATE DATABASE {name}"))
    asyncio.run(migrate(DatabaseSettings(database_url=url)))
    return url


@pytest.fixture
async def empty_database_url(servers: ServerStack) -> AsyncIterator[str]:
    """A database of this test's own, with nothing in it."""
    name = f"test_{uuid4().hex}"
    await _execute(servers.database_url, f"CREATE DATABASE {name}")
    yield servers.database_url.rpartition("/")[0] + f"/{name}"
    await _execute(servers.database_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """That database, connected."""
    database = Database(DatabaseSettings(database_url=database_url))
    await database.start()
    yield database
    await database.stop()


@pytest.fixture
async def publisher(nats_url: str) -> AsyncIterator[App]:
    """An app that publishes."""
    app = App("publisher", BusSettings(nats_url=nats_url))
    await app.start()
    yield app
    await app.stop()


@pytest.fixture(scope="session")
def s3_settings(servers: ServerStack) -> S3Settings:
    """An S3 server; `Artifacts` creates the bucket at its start."""
    return S3Settings(
        s3_endpoint=servers.s3.endpoint,
        s3_access_key=servers.s3.access_key,
        s3_secret_key=servers.s3.secret_key,
        artifacts_spool=servers.folder / "spool",
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def kernel_host(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[KernelHost]:
    """A started host of CAD kernels, whose worker has a secret in its environment. Its imports take seconds of CPU, so
    that all tests of a process share it; they run on the session's event loop."""
    host = KernelHost(tmp_path_factory.mktemp("kernels"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S3_SECRET_KEY", SECRET)
        await host.start()
    yield host
    await host.stop()


async def _execute(database_url: str, statement: str) -> None:
    url = DatabaseSettings(database_url=database_url).asyncpg_url
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()
