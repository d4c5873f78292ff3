"""The process that all children are forked from: large libraries are imported here once, and never used.

A library that starts threads when it is used would hang the children, since a fork keeps one thread. The zygote has a
clean environment, one thread and no secret; it dies with the host, and its children die with it.
"""

import gc
import importlib
import io
import os
import select
import signal
import socket
import sys
from pathlib import Path

from pydantic import BaseModel

from sandbox.channels.image_channel import IMAGES_FD
from sandbox.confinement.confine import Confinement, confine, missing_features, readable_paths
from sandbox.zygote.messages import (
    PACKET_BYTES,
    Exited,
    Fork,
    Forked,
    Programs,
    Ready,
    Signal,
    ToZygote,
    Unfit,
)

CHANNEL_FD = 3
_DESCRIPTORS = 3
_CHILD_FAILED = 70


class Zygote:
    """Forks on request until the host hangs up."""

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._programs = Programs.model_validate_json(host.recv(PACKET_BYTES))
        self._children: set[int] = set()
        self._readable: tuple[Path, ...] = ()

    def say(self, message: BaseModel) -> None:
        """Tell the host."""
        self._host.send(message.model_dump_json().encode())

    def preload(self) -> None:
        """Import what children need."""
        entered = (each.partition(":")[0] for each in self._programs.entry_points.values())
        for module in (*self._programs.preload, *entered):
            importlib.import_module(module)
        self._readable = readable_paths()

    def serve(self) -> None:
        """Answer the host and bury children until the host is gone."""
        woken, wake = os.pipe()
        for end in (woken, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        while True:
            ready, _, _ = select.select([self._host, woken], [], [])
            if woken in ready:
                os.read(woken, PACKET_BYTES)
                self._bury()
            if self._host in ready and not self._answer():
                return

    def _answer(self) -> bool:
        packet, descriptors, _, _ = socket.recv_fds(self._host, PACKET_BYTES, _DESCRIPTORS)
        if not packet:
            return False
        message = ToZygote.validate_json(packet)
        if isinstance(message, Fork):
            self.say(Forked(pid=self._fork(message, descriptors)))
        else:
            self._signal(message)
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _signal(self, message: Signal) -> None:
        if message.pid in self._children:
            os.kill(message.pid, message.number)

    def _fork(self, order: Fork, descriptors: list[int]) -> int:
        zygote = os.getpid()
        pid = os.fork()
        if pid == 0:
            _live(self._confinement(order), self._programs.entry_points[order.entry_point], descriptors, zygote)
        self._children.add(pid)
        return pid

    def _confinement(self, order: Fork) -> Confinement:
        return Confinement(
            order.workspace,
            memory_mib=order.memory_mib,
            cpu_s=order.cpu_s,
            user=order.user,
            landlock_abi=order.landlock_abi,
            readable=self._readable,
        )

    def _bury(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._children.discard(pid)
            self.say(Exited(pid=pid, exit_code=os.waitstatus_to_exitcode(status)))


def _live(confinement: Confinement, entry_point: str, descriptors: list[int], zygote: int) -> None:
    """Be a child: arrange descriptors, lock in, work, and never return to the zygote's code."""
    code = _CHILD_FAILED
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.setsid()
        _arrange(*descriptors)
        confine(confinement, parent=zygote)
        sys.dont_write_bytecode = True
        module, _, function = entry_point.partition(":")
        getattr(sys.modules[module], function)(CHANNEL_FD)
        code = 0
    finally:
        # an exception has no one to go to: the host sees the exit code, and what was printed on the child's output
        if code:
            sys.excepthook(*sys.exc_info())  # pyright: ignore[reportArgumentType] - an exception is on its way here
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _arrange(channel: int, output: int, images: int) -> None:
    """0 null, 1 and 2 what is printed, 3 the channel, 4 images; nothing else stays open."""
    channel_copy, output_copy, images_copy = os.dup(channel), os.dup(output), os.dup(images)
    os.dup2(output_copy, 1)
    os.dup2(output_copy, 2)
    os.dup2(channel_copy, CHANNEL_FD, inheritable=False)
    os.dup2(images_copy, IMAGES_FD, inheritable=False)
    os.closerange(IMAGES_FD + 1, os.sysconf("SC_OPEN_MAX"))
    printed = io.FileIO(1, "w", closefd=False)
    text = io.TextIOWrapper(io.BufferedWriter(printed), "utf-8", "backslashreplace", line_buffering=True)
    sys.stdout = sys.stderr = text


def main(host: socket.socket) -> None:
    """Import, prove the machine fit, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the host's business
    zygote = Zygote(host)
    if reasons := missing_features():
        zygote.say(Unfit(reasons=reasons))
        return
    gc.disable()  # or a fifth of the time that importing takes goes into looking for rubbish that is not there
    zygote.preload()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - a count, not paths
    if threads != 1:
        zygote.say(Unfit(reasons=[f"the zygote has {threads} threads after importing; a fork would lose them"]))
        return
    gc.collect()
    gc.freeze()
    gc.enable()
    zygote.say(Ready())
    zygote.serve()
