"""The ground that all rivals stand on: one nats-server of our own, with a stream for each, and their services."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import nats
from chassis.provisioning import provision
from chassis.settings import BusSettings
from cli.servers.stack import ServerStack
from nats.js.api import StorageType, StreamConfig

from perf.messages.by_nats import STREAMS

PLACES = ("first", "second")


@asynccontextmanager
async def one_server() -> AsyncGenerator[str]:
    """Start a nats-server with all streams; yields its address, which `BusSettings()` then reads, too."""
    with TemporaryDirectory() as folder:
        servers = ServerStack(Path(folder), only=("nats-server",))
        servers.start()
        os.environ["NATS_URL"] = servers.nats_url
        try:
            await provision(BusSettings())
            await _add_streams(servers.nats_url)
            yield servers.nats_url
        finally:
            servers.stop()


async def _add_streams(url: str) -> None:
    """The chassis has its own way, FastStream declares what it needs."""
    client = await nats.connect(url)
    for name in STREAMS:
        await client.jetstream().add_stream(StreamConfig(name, subjects=[f"{name}.>"], storage=StorageType.FILE))
    await client.close()


@contextmanager
def services_of(rivals: Iterable[str]) -> Generator[None]:
    """Run both services of each rival as processes."""
    processes = {f"{rival} {place}": _start(rival, place) for rival in rivals for place in PLACES}
    try:
        for name, process in processes.items():
            assert process.stdout is not None
            if process.stdout.readline().strip() != b"ready":
                raise RuntimeError(f"service {name} did not start; its words stand above")
        yield
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.wait()


def _start(rival: str, place: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen((sys.executable, "-m", "perf.messages.serving", rival, place), stdout=subprocess.PIPE)
