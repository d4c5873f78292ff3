"""Servers of our own, which can be taken away and brought back with their data and their ports."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from chassis.settings import BusSettings
from chassis.stream.provisioning import provision
from local_stack.processes.supervisor import Supervised, Supervisor
from local_stack.servers.server_stack import ServerStack

Manner = Literal["killed", "frozen"]
"""Killed with -9 and kept down; or stopped in its tracks: it takes connections and answers nothing."""


class Keeper(Supervisor):
    """Starts programs again only when told to."""

    def of(self, name: str) -> Supervised:
        """Return the program of this name."""
        return next(one for one in self._all() if one.startable.name == name)


class Servers:
    """What a run needs."""

    def __init__(self, stack: ServerStack, keeper: Keeper) -> None:
        self.stack = stack
        self._keeper = keeper

    def take_away(self, name: str, manner: Manner) -> None:
        """From now on the server does not answer."""
        pid = self._pid(name)
        how = signal.SIGKILL if manner == "killed" else signal.SIGSTOP
        for each in (pid, *_descendants(pid)):
            _send(each, how)

    async def bring_back(self, name: str, manner: Manner) -> None:
        """Return when it works again."""
        server = self._keeper.of(name)
        if manner == "killed":
            server.start()
        else:
            pid = self._pid(name)
            for each in (pid, *_descendants(pid)):
                _send(each, signal.SIGCONT)
        await asyncio.to_thread(server.wait_ready)

    def _pid(self, name: str) -> int:
        child = self._keeper.of(name).child
        assert child is not None
        return child.pid


@asynccontextmanager
async def servers(folder: Path) -> AsyncGenerator[Servers]:
    """Start all three, with the stream; they are gone when the block ends."""
    keeper = Keeper()
    stack = ServerStack(folder, keeper)
    try:
        stack.start()
        await provision(BusSettings(nats_url=stack.nats_url))
        yield Servers(stack, keeper)
    finally:
        stack.stop()
        stack.erase()


def _send(pid: int, how: signal.Signals) -> None:
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        return


def _descendants(pid: int) -> list[int]:
    """Return the processes that a server has started: freezing a postmaster alone leaves its sessions answering."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            children.setdefault(parent, []).append(int(folder.name))
    found, asked = list[int](), [pid]
    while asked:
        found += (new := children.get(asked.pop(), []))
        asked += new
    return found
