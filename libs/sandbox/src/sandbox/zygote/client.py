"""The host's side of the zygote: starts its process and requests children from it."""

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from sandbox.channels.channel import HostChannel
from sandbox.channels.image_channel import ReceivedImages
from sandbox.channels.printed_output import PrintedOutput
from sandbox.zygote.messages import (
    PACKET_BYTES,
    ConfinementUnavailable,
    Exited,
    Fork,
    Forked,
    FromZygote,
    Programs,
    Ready,
    Signal,
)

START_S = 120.0
"""Importing large libraries takes seconds, and much longer when nothing is compiled yet."""
STOP_S = 5.0
CLEAN_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""All environment variables of a child: one thread per pool, and the same order of sets everywhere."""
HOME_VARIABLES = ("HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
"""Folders where libraries keep caches while they are imported; removed before the first child is forked."""


class SandboxUnavailableError(RuntimeError):
    """This machine cannot confine a child, so it runs no untrusted code."""


class ZygoteTimeoutError(SandboxUnavailableError):
    """The zygote has not imported its modules in time."""


class ZygoteDiedError(RuntimeError):
    """The zygote process has ended."""


@dataclass(eq=False)
class ConfinedChild:
    """A confined process and the host's ends of its channels."""

    pid: int
    channel: HostChannel
    printed: PrintedOutput
    images: ReceivedImages
    exited: asyncio.Future[int]
    """Exit code; negative: the signal that killed it."""
    zygote: "Zygote"
    killed_for: str | None = None
    """The limit that it exceeded, if the watchdog killed it."""

    def signal(self, number: int) -> None:
        """Send a signal if the child is alive."""
        with suppress(ZygoteDiedError):  # then the child is dead, too
            self.zygote.send(Signal(pid=self.pid, number=number))

    async def close(self) -> int:
        """Kill the child, wait for its end and close its channels; return its exit code."""
        if not self.exited.done():
            self.signal(signal.SIGKILL)
        try:
            return await asyncio.shield(self.exited)  # the zygote sets it, even if this wait is cancelled
        finally:
            self.printed.close()
            self.images.close()
            await self.channel.close()


Birth = tuple[int, asyncio.Future[int]]
"""Pid and future exit code of a child."""


class Zygote:
    """Starts the zygote process and forks children through it."""

    def __init__(self, programs: Programs, landlock_abi: int | None = None, start_s: float = START_S) -> None:
        """`landlock_abi`: use no later version of Landlock than this, as on an older kernel."""
        self._programs = programs
        self._landlock_abi = landlock_abi
        self._start_s = start_s
        self._process: asyncio.subprocess.Process | None = None
        self._socket: socket.socket | None = None
        self._ready: asyncio.Future[None] | None = None
        self._requested: deque[asyncio.Future[Birth]] = deque()
        self._children: dict[int, asyncio.Future[int]] = {}

    @property
    def is_alive(self) -> bool:
        """Whether children can be forked."""
        return self._socket is not None and self._ready is not None and self._ready.done()

    async def start(self) -> None:
        """Start the process and wait until it has imported everything.

        Raises `SandboxUnavailableError`, or `ZygoteDiedError` when an import failed.
        """
        with TemporaryDirectory(prefix="sandbox-zygote-") as home:
            homes = dict.fromkeys(HOME_VARIABLES, home)
            await self._start(CLEAN_ENVIRONMENT | dict(self._programs.environment) | homes)

    async def _start(self, environment: dict[str, str]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = (sys.executable, "-P", "-s", "-m", "sandbox.zygote.start")
            self._process = await asyncio.create_subprocess_exec(
                *(*command, str(theirs.fileno()), str(os.getpid())),
                pass_fds=[theirs.fileno()],
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
            )
        ours.send(self._programs.model_dump_json().encode())
        ours.setblocking(False)
        self._socket = ours
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        loop.add_reader(ours, self._receive)
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), self._start_s)
        except TimeoutError as error:
            await self.stop()
            message = f"the process that children are forked from has not imported its modules in {self._start_s:g} s"
            raise ZygoteTimeoutError(message) from error
        except (SandboxUnavailableError, ZygoteDiedError):
            await self.stop()
            raise

    async def stop(self) -> None:
        """Close the socket, so that the zygote ends, and its children with it."""
        self._disconnect()
        if self._process is not None:
            try:
                await asyncio.wait_for(self._process.wait(), STOP_S)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
            self._process = None

    async def fork(
        self,
        entry_point: str,
        workspace: Path,
        user: int | None,
        *,
        cpu_s: int,
        niceness: int,
    ) -> ConfinedChild:
        """Return a child that confines itself to `workspace`, as `user`, before it runs one of the entry points."""
        if entry_point not in self._programs.entry_points:
            raise ValueError(f"{entry_point} is not an entry point of this zygote")
        order = Fork(
            entry_point=entry_point,
            workspace=workspace,
            user=user,
            cpu_s=cpu_s,
            niceness=niceness,
            landlock_abi=self._landlock_abi,
        )
        pipes = ChildPipes()
        try:
            pid, exited = await self._forked(order, pipes)
        except (ZygoteDiedError, asyncio.CancelledError):
            pipes.close()
            raise
        try:
            channel = await HostChannel.over(pipes.channel)
        except BaseException:
            pipes.close()
            self.send(Signal(pid=pid, number=signal.SIGKILL))
            raise
        return ConfinedChild(pid, channel, PrintedOutput(pipes.output), ReceivedImages(pipes.images), exited, self)

    async def _forked(self, order: Fork, pipes: "ChildPipes") -> Birth:
        birth: asyncio.Future[Birth] = asyncio.get_running_loop().create_future()
        self.send(order, pipes.child_ends)
        pipes.close_child_ends()
        self._requested.append(birth)
        return await birth

    def send(self, message: BaseModel, descriptors: list[int] | None = None) -> None:
        """Send one packet; raise `ZygoteDiedError` when the process has ended."""
        if self._socket is None:
            raise ZygoteDiedError("the zygote is not running; restart the worker")
        try:
            socket.send_fds(self._socket, [message.model_dump_json().encode()], descriptors or [])
        except OSError as error:
            raise ZygoteDiedError("the zygote has died; restart the worker") from error

    def _receive(self) -> None:
        while self._socket is not None:
            try:
                packet = self._socket.recv(PACKET_BYTES)
            except BlockingIOError:
                return
            except ConnectionError:
                packet = b""
            if not packet:
                self._disconnect()
                return
            self._handle(FromZygote.validate_json(packet))

    def _handle(self, message: Ready | ConfinementUnavailable | Forked | Exited) -> None:
        match message:
            case Ready():
                self._settle_start(None)
            case ConfinementUnavailable(reasons=reasons):
                self._settle_start(SandboxUnavailableError("the sandbox cannot be built here: " + "; ".join(reasons)))
            case Forked(pid=pid):
                exited = self._children[pid] = asyncio.get_running_loop().create_future()
                birth = self._requested.popleft()
                if birth.done():  # the fork was cancelled meanwhile
                    self.send(Signal(pid=pid, number=signal.SIGKILL))
                else:
                    birth.set_result((pid, exited))
            case Exited(pid=pid, exit_code=code):
                self._children.pop(pid).set_result(code)

    def _settle_start(self, error: Exception | None) -> None:
        if self._ready is None or self._ready.done():
            return
        if error is None:
            self._ready.set_result(None)
        else:
            self._ready.set_exception(error)

    def _disconnect(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        self._settle_start(ZygoteDiedError("the zygote died during its imports; its traceback is above"))
        for birth in self._requested:
            if not birth.done():
                birth.set_exception(ZygoteDiedError("the zygote has died"))
        self._requested.clear()
        for exited in self._children.values():
            exited.set_result(-signal.SIGKILL)  # children die with the zygote
        self._children.clear()


class ChildPipes:
    """A socket pair for messages and pipes for output and images: both ends, until the child has its own."""

    def __init__(self) -> None:
        self.channel, child_channel = socket.socketpair()
        self.output, child_output = os.pipe()
        self.images, child_images = os.pipe()
        self.child_ends = [child_channel.detach(), child_output, child_images]
        """In the order in which the zygote expects them."""

    def close_child_ends(self) -> None:
        while self.child_ends:
            os.close(self.child_ends.pop())

    def close(self) -> None:
        """Close both ends of all three."""
        self.close_child_ends()
        self.channel.close()
        os.close(self.output)
        os.close(self.images)
