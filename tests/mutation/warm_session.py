"""A test process that has imported and collected everything, and runs tests in forks of itself, changed or not.

`python -m tests.mutation.warm_session SOCKET_FD TEST...`: answers each `Order` line on the socket by a `Reply` line.
"""

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from contracts.model import Model
from OCP.OSD import (  # pyright: ignore[reportMissingTypeStubs]
    OSD_ThreadPool,  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
)

from tests.mutation.patches import Call, FunctionIndex, code_change

OPTIONS = ("-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "tests.mutation.steady_examples")
NOT_APPLIED = 97
"""Exit code of a fork whose imported functions cannot take a change."""
RunStatus = Literal["killed", "survived", "timeout", "not_applied"]


class Order(Model):
    """Tests to run, with the file that was changed on disk."""

    file: str = ""
    before: str = ""
    after: str = ""
    tests: tuple[str, ...] = ()
    """Node ids, in the order in which they run; none for all."""
    profile: str = ""
    """File to which a run writes its `Profile`, if any."""
    sources: tuple[str, ...] = ()
    """Files whose calls the profile contains."""
    limit_s: float


class Reply(Model):
    """How a run ended."""

    status: RunStatus


class TestProfile(Model):
    """What one test took and which functions it called in its own process."""

    test: str
    seconds: float
    calls: tuple[Call, ...]


class Profile(Model):
    """Every test of a run, in the order of collection."""

    tests: tuple[TestProfile, ...]


class WarmSession:
    """A plugin: instead of running its tests once, the process forks for each order."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._profile = ""
        self._calls: set[Call] = set()
        self._known: list[TestProfile] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Return `None` in a fork, where pytest goes on as always, and true when there are no more orders."""
        index = FunctionIndex()
        items = {item.nodeid: item for item in session.items}
        lines = self._orders.makefile("r", encoding="utf-8")
        self._send(Profile(tests=tuple(TestProfile(test=test, seconds=0.0, calls=()) for test in items)))
        for line in lines:
            order = Order.model_validate_json(line)
            child = os.fork()
            if not child:
                os.setpgid(0, 0)
                session.items[:] = [items[test] for test in order.tests] if order.tests else list(items.values())
                session.testscollected = len(session.items)
                self._begin(index, order)
                return None
            self._send(Reply(status=self._wait(child, order.limit_s)))
        return True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what a test calls, if a profile is wanted."""
        if not self._profile:
            yield
            return
        self._calls.clear()
        began = time.perf_counter()
        yield
        seconds = time.perf_counter() - began
        self._known.append(TestProfile(test=item.nodeid, seconds=seconds, calls=tuple(sorted(self._calls))))

    def pytest_sessionfinish(self) -> None:
        """Store the profile."""
        if self._profile:
            Path(self._profile).write_text(Profile(tests=tuple(self._known)).model_dump_json(), encoding="utf-8")

    def _begin(self, index: FunctionIndex, order: Order) -> None:
        self._profile = order.profile
        for source in order.sources:
            index.note_calls(source, self._calls)
        if order.after:
            change = code_change(order.file, order.before, order.after)
            if change is None or not index.apply(order.file, change):
                os._exit(NOT_APPLIED)

    def _wait(self, child: int, limit_s: float) -> RunStatus:
        end = time.monotonic() + limit_s
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return "not_applied" if code == NOT_APPLIED else "killed" if code else "survived"
            ordered = select.select([self._orders], [], [], 0.02)[0]
            if ordered or time.monotonic() > end:  # the campaign sends nothing while it waits: it is gone
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                if ordered:
                    os._exit(1)
                return "timeout"

    def _send(self, message: Model) -> None:
        self._orders.sendall((message.model_dump_json() + "\n").encode())


def main(arguments: list[str]) -> int:
    """Collect the tests, and answer orders until the socket closes."""
    descriptor, *tests = arguments
    os.set_inheritable(int(descriptor), False)
    # a fork has no threads of its parent, and would wait for them for ever
    OSD_ThreadPool.DefaultPool_s(1)  # pyright: ignore[reportUnknownMemberType]
    with socket.socket(fileno=int(descriptor)) as orders:
        return pytest.main([*OPTIONS, *tests], plugins=[WarmSession(orders)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
