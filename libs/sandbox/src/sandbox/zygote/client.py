"""The host's side of the zygote: starting it, and asking it for children."""

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from sandbox.channels.host_channel import HostChannel, PrintedOutput
from sandbox.channels.image_channel import ReceivedImages
from sandbox.channels.wires import Wires
from sandbox.zygote.messages import (
    PACKET_BYTES,
    Exited,
    Fork,
    Forked,
    FromZygote,
    Programs,
    Ready,
    Signal,
    Unfit,
)

START_S = 120.0
"""Importing CAD takes seconds, and much longer the first time, when nothing is compiled yet."""
LATE = (
    "the process that kernels are forked from has not imported CAD within {start_s:g} s: relieve the machine, or wait "
    "longer by KERNEL_START_S"
)
STOP_S = 5.0
CLEAN_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""What every child sees of the environment: one thread per pool, and the same order of sets everywhere."""
HOMES = ("HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
"""Where libraries keep things such as lists of fonts while they are imported; it is gone when kernels begin."""


class SandboxUnavailableError(RuntimeError):
    """This machine cannot confine a child, so no foreign code runs on it."""


class ZygoteDiedError(RuntimeError):
    """The process that kernels are forked from is gone."""


@dataclass(eq=False)
class Child:
    """A confined process and our ends of its channels."""

    pid: int
    channel: HostChannel
    printed: PrintedOutput
    images: ReceivedImages
    exited: asyncio.Future[int]
    """Exit code; negative is the signal that killed it."""
    zygote: "Zygote"
    killed_for: str | None = None
    """What it took too much of, if the watchdog killed it."""

    def signal(self, number: int) -> None:
        """Send it a signal if it still lives."""
        with suppress(ZygoteDiedError):  # then the child is dead too
            self.zygote.say(Signal(pid=self.pid, number=number))

    async def close(self) -> int:
        """Kill it, wait for its end and let go of its channels; return its exit code."""
        if not self.exited.done():
            self.signal(signal.SIGKILL)
        try:
            return await asyncio.shield(self.exited)  # the zygote sets it, also when nobody waits any more
        finally:
            self.printed.close()
            self.images.close()
            await self.channel.close()


Birth = tuple[int, asyncio.Future[int]]
"""A child's pid, and what will be its exit code."""


class Zygote:
    """Starts the zygote process and forks children through it."""

    def __init__(
        self,
        programs: Programs,
        environment: Mapping[str, str] | None = None,
        landlock_abi: int | None = None,
        start_s: float = START_S,
    ) -> None:
        """`environment`: variables of the children besides `CLEAN_ENVIRONMENT`.

        `landlock_abi`: use no later version of Landlock than this one, as on an older kernel.
        """
        self._programs = programs
        self._environment = dict(environment or {})
        self._landlock_abi = landlock_abi
        self._start_s = start_s
        self._process: asyncio.subprocess.Process | None = None
        self._socket: socket.socket | None = None
        self._ready: asyncio.Future[None] | None = None
        self._waiting: deque[asyncio.Future[Birth]] = deque()
        self._children: dict[int, asyncio.Future[int]] = {}

    @property
    def alive(self) -> bool:
        """Tell whether children can be forked."""
        return self._socket is not None and self._ready is not None and self._ready.done()

    async def start(self) -> None:
        """Start the process and wait until it has imported everything; raise `SandboxUnavailableError` if unfit."""
        with TemporaryDirectory(prefix="millwright-zygote-") as home:
            await self._start(CLEAN_ENVIRONMENT | self._environment | dict.fromkeys(HOMES, home))

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
        loop.add_reader(ours, self._hear)
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), self._start_s)
        except TimeoutError as error:
            await self.stop()
            raise SandboxUnavailableError(LATE.format(start_s=self._start_s)) from error
        except (SandboxUnavailableError, ZygoteDiedError):
            await self.stop()
            raise

    async def stop(self) -> None:
        """Hang up: the zygote leaves, and its children die with it."""
        self._lost()
        if self._process is not None:
            try:
                await asyncio.wait_for(self._process.wait(), STOP_S)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
            self._process = None

    async def fork(
        self, entry_point: str, workspace: Path, user: int | None, memory_mib: int = 2048, cpu_s: int = 3600
    ) -> Child:
        """Return a child that confines itself to `workspace`, as `user`, before it reads anything from its channel."""
        order = Fork(
            entry_point=entry_point,
            workspace=workspace,
            user=user,
            memory_mib=memory_mib,
            cpu_s=cpu_s,
            landlock_abi=self._landlock_abi,
        )
        wires = Wires()
        try:
            pid, exited = await self._birth(order, wires)
        except (ZygoteDiedError, asyncio.CancelledError):
            wires.close()
            raise
        try:
            channel = await HostChannel.over(wires.channel)
        except BaseException:
            wires.close()
            self.say(Signal(pid=pid, number=signal.SIGKILL))
            raise
        return Child(pid, channel, PrintedOutput(wires.printed), ReceivedImages(wires.images), exited, self)

    async def _birth(self, order: Fork, wires: Wires) -> Birth:
        answer: asyncio.Future[Birth] = asyncio.get_running_loop().create_future()
        self.say(order, wires.its_ends)
        wires.close_its_ends()
        self._waiting.append(answer)
        return await answer

    def say(self, message: BaseModel, descriptors: list[int] | None = None) -> None:
        """Send one packet; raise `ZygoteDiedError` when nobody is there."""
        if self._socket is None:
            raise ZygoteDiedError("the zygote is not running; restart the worker")
        try:
            socket.send_fds(self._socket, [message.model_dump_json().encode()], descriptors or [])
        except OSError as error:
            raise ZygoteDiedError("the zygote has died; restart the worker") from error

    def _hear(self) -> None:
        while self._socket is not None:
            try:
                packet = self._socket.recv(PACKET_BYTES)
            except BlockingIOError:
                return
            except ConnectionError:
                packet = b""
            if not packet:
                self._lost()
                return
            self._take(FromZygote.validate_json(packet))

    def _take(self, message: Ready | Unfit | Forked | Exited) -> None:
        match message:
            case Ready():
                self._settle_ready(None)
            case Unfit(reasons=reasons):
                self._settle_ready(SandboxUnavailableError("the sandbox cannot be built here: " + "; ".join(reasons)))
            case Forked(pid=pid):
                exited = self._children[pid] = asyncio.get_running_loop().create_future()
                answer = self._waiting.popleft()
                if answer.done():  # whoever asked has given up
                    self.say(Signal(pid=pid, number=signal.SIGKILL))
                else:
                    answer.set_result((pid, exited))
            case Exited(pid=pid, exit_code=code):
                self._children.pop(pid).set_result(code)

    def _settle_ready(self, error: Exception | None) -> None:
        if self._ready is None or self._ready.done():
            return
        if error is None:
            self._ready.set_result(None)
        else:
            self._ready.set_exception(error)

    def _lost(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        self._settle_ready(ZygoteDiedError("the zygote died while it was importing; its words stand above"))
        for answer in self._waiting:
            if not answer.done():
                answer.set_exception(ZygoteDiedError("the zygote has died"))
        self._waiting.clear()
        for exited in self._children.values():
            exited.set_result(-signal.SIGKILL)  # children die with the zygote
        self._children.clear()
