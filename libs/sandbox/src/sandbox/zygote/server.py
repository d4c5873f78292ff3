"""The zygote process: imports large libraries once, never uses them, and forks children on request.

A library that starts threads when it is used would break the children, since a fork keeps one thread only. The zygote
has a clean environment, one thread and no secret. It dies with the host, and its children die with it.
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
    ConfinementUnavailable,
    Exited,
    Fork,
    Forked,
    Programs,
    Ready,
    Signal,
    ToZygote,
)

CHANNEL_FD = 3
_DESCRIPTORS = 3
_EXIT_CODE_OF_FAILURE = 70


class ZygoteServer:
    """Forks children until the host closes the socket."""

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._programs = Programs.model_validate_json(host.recv(PACKET_BYTES))
        self._children: set[int] = set()
        self._readable: tuple[Path, ...] = ()

    def send(self, message: BaseModel) -> None:
        """Send a message to the host."""
        self._host.send(message.model_dump_json().encode())

    def preload(self) -> None:
        """Import the modules that children need."""
        sys.path += map(str, self._programs.import_paths)
        entered = (each.partition(":")[0] for each in self._programs.entry_points)
        for module in (*self._programs.preload, *entered):
            importlib.import_module(module)
        self._readable = readable_paths(self._programs.sealed)

    def serve(self) -> None:
        """Handle messages and reap children until the host closes the socket."""
        woken, wake = os.pipe()
        for end in (woken, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        while True:
            ready, _, _ = select.select([self._host, woken], [], [])
            if woken in ready:
                os.read(woken, PACKET_BYTES)
                self._reap()
            if self._host in ready and not self._handle_message():
                return

    def _handle_message(self) -> bool:
        """Return whether there was a message."""
        packet, descriptors, _, _ = socket.recv_fds(self._host, PACKET_BYTES, _DESCRIPTORS)
        if not packet:
            return False
        message = ToZygote.validate_json(packet)
        if isinstance(message, Fork):
            self.send(Forked(pid=self._fork(message, descriptors)))
        else:
            self._signal(message)
        for descriptor in descriptors:
            os.close(descriptor)
        return True

    def _signal(self, message: Signal) -> None:
        if message.pid in self._children:
            os.kill(message.pid, message.number)

    def _fork(self, order: Fork, descriptors: list[int]) -> int:
        if order.entry_point not in self._programs.entry_points:
            raise ValueError(f"{order.entry_point} is not an entry point: add it to `Programs.entry_points`")
        zygote = os.getpid()
        pid = os.fork()
        if pid == 0:
            _run_child(self._confinement(order), order.entry_point, descriptors, zygote)
        self._children.add(pid)
        return pid

    def _confinement(self, order: Fork) -> Confinement:
        return Confinement(
            order.workspace,
            cpu_s=order.cpu_s,
            user=order.user,
            niceness=order.niceness,
            landlock_abi=order.landlock_abi,
            readable=self._readable,
        )

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._children.discard(pid)
            self.send(Exited(pid=pid, exit_code=os.waitstatus_to_exitcode(status)))


def _run_child(confinement: Confinement, entry_point: str, descriptors: list[int], zygote: int) -> None:
    """Run the child after a fork: set up descriptors, confine, call the entry point. Never returns."""
    code = _EXIT_CODE_OF_FAILURE
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # No session: with autogroups Linux divides the processor among sessions first (sched(7)), and a nice child that
        # is alone in one gets as much as its host with all other services.
        os.setpgid(0, 0)
        _set_up_descriptors(*descriptors)
        confine(confinement, parent=zygote)
        sys.dont_write_bytecode = True
        module, _, function = entry_point.partition(":")
        getattr(sys.modules[module], function)(CHANNEL_FD)
        code = 0
    finally:
        # nothing above may handle an exception: the host sees the exit code, and the traceback in the child's output
        if code:
            sys.excepthook(*sys.exc_info())  # pyright: ignore[reportArgumentType] - an exception is being handled
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _set_up_descriptors(channel: int, output: int, images: int) -> None:
    """0: null; 1 and 2: output; 3: message channel; 4: images; all others closed."""
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
    """Check the machine, import the modules, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the host handles Ctrl-C in a terminal
    server = ZygoteServer(host)
    if reasons := missing_features():
        server.send(ConfinementUnavailable(reasons=reasons))
        return
    gc.disable()  # collections would take a fifth of the time of the imports, and find nothing
    server.preload()
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - a count, not paths
    if threads != 1:
        server.send(
            ConfinementUnavailable(
                reasons=[f"the zygote has {threads} threads after its imports; a fork would lose them"]
            )
        )
        return
    gc.freeze()  # of the little that could be collected children share the pages
    gc.enable()
    server.send(Ready())
    server.serve()
