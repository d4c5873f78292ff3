"""An S3 server of our own, which may be killed."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.settings import S3Settings
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.ports import free_ports
from local_stack.servers.seaweedfs import PORT_OPTIONS, SeaweedFs
from local_stack.servers.server_stack import ServerStack
from minio import Minio

from tests.artifacts.minio_admin import ROOT, SECRET


class MortalS3:
    """SeaweedFS on a port and a folder that stay the same over restarts."""

    def __init__(self, folder: Path) -> None:
        self._stack = ServerStack(folder, only=("seaweedfs",))
        self._stack.start()

    def settings(self, spool: Path) -> S3Settings:
        """Where it is, a bucket that nobody else uses, and little patience, so that tests are fast."""
        s3 = self._stack.s3
        return S3Settings(
            s3_endpoint=s3.endpoint,
            s3_access_key=s3.access_key,
            s3_secret_key=s3.secret_key,
            s3_bucket=f"test-{uuid4().hex}",
            s3_timeout_s=2.0,
            artifacts_spool=spool,
        )

    def signal(self, how: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self._stack.pids()["seaweedfs"], how)

    async def kill(self) -> None:
        """End it as a power cut would; it stays away until `revive`."""
        self.signal(signal.SIGKILL)
        while self._stack.pids():  # noqa: ASYNC110 - the kernel sets no event
            await asyncio.sleep(0.02)

    async def revive(self) -> None:
        """Start it again, unless it runs, and wait until it works."""
        self._stack.supervisor.restart("seaweedfs")
        await asyncio.to_thread(self._stack.supervisor.wait_until_ready)

    def end(self) -> None:
        """Stop it for good."""
        self._stack.stop()


@pytest.fixture(scope="session")
def the_mortal_s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MortalS3]:
    """One server for all tests that kill it."""
    s3 = MortalS3(tmp_path_factory.mktemp("mortal-s3"))
    yield s3
    s3.end()


@pytest.fixture
def mortal_s3(the_mortal_s3: MortalS3) -> Iterator[MortalS3]:
    """A server that lives when the test begins, and again when it has ended."""
    yield the_mortal_s3
    asyncio.run(the_mortal_s3.revive())


@pytest.fixture
def mortal_settings(mortal_s3: MortalS3, tmp_path: Path) -> S3Settings:
    """A bucket and a spool of the test's own."""
    return mortal_s3.settings(tmp_path / "spool")


@pytest.fixture(scope="session")
def weed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedFs]:
    """A server that keeps S3's policies as MinIO does, whose users are made by its own shell."""
    folder = tmp_path_factory.mktemp("weed")
    supervisor = Supervisor()
    weed = SeaweedFs(folder / "data", free_ports(len(PORT_OPTIONS), ()), ROOT, SECRET, folder / "weed.log")
    weed.prepare()
    supervisor.launch([weed])
    supervisor.wait_until_ready()
    Minio(weed.endpoint, access_key=ROOT, secret_key=SECRET, secure=False).make_bucket("millwright")
    yield weed
    supervisor.stop()
