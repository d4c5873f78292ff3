"""Runs tests in several processes: `--processes 5`.

They are forked when all tests are collected, which imports every library: pytest-xdist would import them in each
process, for 13 s of CPU. Each process takes one file after another, so that what a file shares is set up once.
"""

import atexit
import multiprocessing
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import groupby
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized
from typing import Any

import pytest

FORK = multiprocessing.get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--processes", type=int, default=1, help="Number of processes that run tests.")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in processes, if there are to be several."""
    config = session.config
    processes = int(config.getoption("processes") or 1)
    if processes == 1 or session.testsfailed or config.option.collectonly:
        return None
    files = [list(items) for _, items in groupby(session.items, key=lambda item: item.path)]
    _folders(config).getbasetemp()  # created once, for all
    taken = FORK.Value("i", 0)
    workers = [Worker(session, files, taken, number) for number in range(processes)]
    try:
        _report_all(session, workers)
    finally:
        for worker in workers:
            worker.process.terminate()
            worker.process.join()
    missing = len(session.items) - sum(worker.tests_run for worker in workers)
    if missing:
        session.shouldfail = f"{missing} tests did not run"
        raise session.Failed(session.shouldfail)
    return True


def _report_all(session: pytest.Session, workers: Sequence["Worker"]) -> None:
    running = {worker.reports: worker for worker in workers}
    while running:
        for reports in wait(list(running)):
            worker = running[reports]  # pyright: ignore[reportArgumentType] - only connections are waited for
            if not worker.report_next(session):
                del running[worker.reports]
        if session.shouldfail:
            raise session.Failed(session.shouldfail)


class Worker:
    """A process that runs files of tests, and its reports."""

    def __init__(
        self, session: pytest.Session, files: list[list[pytest.Item]], taken: "Synchronized[int]", number: int
    ) -> None:
        """Start it."""
        self.tests_run = 0
        self._in_hand: tuple[str, tuple[str, int | None, str]] | None = None
        self.reports, sender = FORK.Pipe(duplex=False)
        self.process: BaseProcess = FORK.Process(target=_run_files, args=(session, files, taken, sender, number))
        self.process.start()
        sender.close()

    def report_next(self, session: pytest.Session) -> bool:
        """Report what it has sent next; return whether there may be more."""
        hook = session.config.hook
        try:
            name, arguments = self.reports.recv()
        except EOFError:
            self.process.join()
            if self._in_hand is not None:
                hook.pytest_runtest_logreport(report=self._crash(*self._in_hand))
            return False
        if name == "end":
            self.process.join()
            return False
        if name == "start":
            self._in_hand = arguments
            hook.pytest_runtest_logstart(nodeid=arguments[0], location=arguments[1])
        elif name == "finish":
            self._in_hand = None
            self.tests_run += 1
            hook.pytest_runtest_logfinish(nodeid=arguments[0], location=arguments[1])
        else:
            report = hook.pytest_report_from_serializable(config=session.config, data=arguments)
            hook.pytest_runtest_logreport(report=report)
        return True

    def _crash(self, nodeid: str, location: tuple[str, int | None, str]) -> pytest.TestReport:
        text = f"the process that ran this test ended with {self.process.exitcode}"
        return pytest.TestReport(nodeid, location, {}, "failed", text, "call")


class ReportSender:
    """Sends what happens to tests to the process that reports it."""

    def __init__(self, config: pytest.Config, sender: "Connection[Any, Any]") -> None:
        self._config = config
        self._sender = sender

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Send that a test starts."""
        self._sender.send(("start", (nodeid, location)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send how a phase of it ended."""
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._sender.send(("report", data))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Send that it has ended."""
        self._sender.send(("finish", (nodeid, location)))


def _run_files(
    session: pytest.Session,
    files: list[list[pytest.Item]],
    taken: "Synchronized[int]",
    sender: "Connection[Any, Any]",
    number: int,
) -> None:
    _leave_parent(session.config, number)
    session.config.pluginmanager.register(ReportSender(session.config, sender))
    items = _take_items(files, taken)
    item = next(items, None)
    while item is not None:
        following = next(items, None)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item = following
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] - a fork of multiprocessing ends without them
    sender.send(("end", None))


def _take_items(files: list[list[pytest.Item]], taken: "Synchronized[int]") -> Iterator[pytest.Item]:
    """Yield the tests of one file after another that no other process has taken."""
    while True:
        with taken.get_lock():
            number = taken.value
            taken.value += 1
        if number >= len(files):
            return
        yield from files[number]


def _leave_parent(config: pytest.Config, number: int) -> None:
    """Give this process its own captured output, temporary folder, and terminal, on which nothing is seen."""
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    folders: Any = _folders(config)
    folders._basetemp = folders.mktemp(f"process-{number}", numbered=False)
    terminal = SilentTerminal(config)
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(terminal, "terminalreporter")


def _folders(config: pytest.Config) -> pytest.TempPathFactory:
    return config._tmp_path_factory  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


class SilentTerminal:
    """Takes what plugins, such as pytest-timeout, write to the terminal directly."""

    def __init__(self, config: pytest.Config) -> None:
        self._tw = pytest.TerminalReporter(config, StringIO())._tw  # pyright: ignore[reportPrivateUsage] - plugins write to it
