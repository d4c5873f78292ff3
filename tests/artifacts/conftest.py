"""S3 servers that tests may kill and restart."""

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


class RestartableS3:
    """SeaweedFS with a port and a folder that remain the same across restarts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ServerStack(folder, only=("seaweedfs",))
        self._stack.start()

    def settings(self, spool: Path) -> S3Settings:
        """Return settings with a new bucket, a short timeout for calls, and a long one for starts."""
        s3 = self._stack.s3
        return S3Settings(
            s3_endpoint=s3.endpoint,
            s3_access_key=s3.access_key,
            s3_secret_key=s3.secret_key,
            s3_bucket=f"test-{uuid4().hex}",
            s3_timeout_s=5.0,  # a loaded machine answers late
            s3_connect_timeout_s=200.0,
            artifacts_spool=spool,
        )

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server."""
        os.kill(self._stack.pids()["seaweedfs"], number)

    async def kill(self) -> None:
        """Kill the server; it stays unavailable until `restart`."""
        self.signal(signal.SIGKILL)
        while self._stack.pids():  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(0.02)

    async def restart(self) -> None:
        """Start the server unless it is running, and wait until it is ready."""
        self._stack.supervisor.restart("seaweedfs")
        await asyncio.to_thread(self._stack.supervisor.wait_until_ready)

    def stop(self) -> None:
        """Stop the server."""
        self._stack.stop()


@pytest.fixture(scope="module")
def shared_restartable_s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestartableS3]:
    """One server for all tests of a file that kill it. A restarted one takes a twentieth of a core while it idles."""
    s3 = RestartableS3(tmp_path_factory.mktemp("s3"))
    yield s3
    s3.stop()


@pytest.fixture
def restartable_s3(shared_restartable_s3: RestartableS3) -> Iterator[RestartableS3]:
    """A server that runs when the test starts, and is restarted after the test."""
    yield shared_restartable_s3
    asyncio.run(shared_restartable_s3.restart())


@pytest.fixture
def own_settings(restartable_s3: RestartableS3, tmp_path: Path) -> S3Settings:
    """Settings with a bucket and a spool that no other test uses."""
    return restartable_s3.settings(tmp_path / "spool")


@pytest.fixture(scope="session")
def weed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedFs]:
    """A SeaweedFS server, which enforces S3 policies as MinIO does; its shell creates users."""
    folder = tmp_path_factory.mktemp("weed")
    supervisor = Supervisor()
    weed = SeaweedFs(folder / "data", free_ports(len(PORT_OPTIONS)), ROOT, SECRET, folder / "weed.log")
    weed.prepare()
    supervisor.launch([weed])
    supervisor.wait_until_ready()
    Minio(weed.endpoint, access_key=ROOT, secret_key=SECRET, secure=False).make_bucket("millwright")
    yield weed
    supervisor.stop()
