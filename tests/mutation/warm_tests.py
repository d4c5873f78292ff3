"""The campaign's side of a warm test process: which tests call what, and a run of these for each change."""

import socket
import subprocess
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Literal

from tests.mutation.patches import code_change, lines_of_readers
from tests.mutation.warm_session import Order, Profile, Reply, RunStatus, TestProfile

Status = Literal["killed", "survived", "timeout"]
PROFILE_LIMIT_S = 3600.0
SLOWER, EXTRA_S = 3.0, 45.0
"""Time limit of a changed run, from the time of the unchanged one."""
MOST_S = 60.0
"""Of tests for one mutant, the fastest first: one that only longer tests would notice counts as survived."""


class TestsFailError(RuntimeError):
    """The tests of a target fail without any change, so that they would kill every mutant."""


class WarmTests:
    """Tests of one target, collected once."""

    def __init__(self, root: Path, tests: Sequence[str], files: Sequence[str], profiles: Path) -> None:
        self._root = root
        self._tests = tests
        self._files = tuple(str(root / file) for file in files)
        self._profiles = profiles
        self._output = root.with_name("tests.log")
        self._profile = Profile(tests=())

    @contextmanager
    def started(self) -> Generator["WarmTests"]:
        """Collect the tests, and run them unchanged to note what they call; raise `TestsFailError` if one fails."""
        ours, theirs = socket.socketpair()
        command = [str(self._root / ".venv/bin/python"), "-m", "tests.mutation.warm_session", str(theirs.fileno())]
        with ours, self._output.open("wb") as output:
            process = subprocess.Popen(
                [*command, *self._tests],
                cwd=self._root,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            theirs.close()
            self._orders, self._replies = ours, ours.makefile("r", encoding="utf-8")
            try:
                self._measure()
                yield self
            finally:
                self._replies.close()
                ours.shutdown(socket.SHUT_RDWR)
                process.wait()

    def _measure(self) -> None:
        if not self._replies.readline():
            raise self._failed("collection failed")
        file = self._profiles / f"{self._digest()}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() and self._run(self._profile_order(file)) != "survived":
            file.unlink(missing_ok=True)
            raise self._failed("a test failed without a change")
        self._profile = Profile.model_validate_json(file.read_text(encoding="utf-8"))

    def limit_s(self, tests: Sequence[str]) -> float:
        """Return how long these tests may take with a change."""
        return SLOWER * sum(test.seconds for test in self._profile.tests if test.test in tests) + EXTRA_S

    def _profile_order(self, file: Path) -> Order:
        return Order(profile=str(file), sources=self._files, limit_s=PROFILE_LIMIT_S)

    def _digest(self) -> str:
        """Return a digest of these tests and of all code: the profile of the same state is used again."""
        digest = sha256(" ".join([*self._tests, *self._files]).encode())
        for folder in ("apps", "libs", "services", "tests"):
            for file in sorted((self._root / folder).rglob("*.py")):
                digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    def covering(self, file: Path, before: str, after: str) -> tuple[str, ...]:
        """Return the fastest of the tests that call what a change concerns, those of the fastest file first."""
        change = code_change(str(file), before, after)
        lines = {line for _, line in change.codes} if change else lines_of_readers(str(file), before, after)
        called = [
            test
            for test in self._profile.tests
            if any(name == str(file) and (line in lines or not lines) for name, line in test.calls)
        ]
        return self._ordered(_fastest(called))

    def try_change(self, file: Path, before: str, after: str, tests: Sequence[str]) -> Status | None:
        """Run tests in a fork whose functions are changed, as is the file; `None` if the change is not in functions."""
        limit_s = self.limit_s(tests)
        status = self._run(Order(file=str(file), before=before, after=after, tests=tuple(tests), limit_s=limit_s))
        return None if status == "not_applied" else status

    def any_tests(self) -> tuple[str, ...]:
        """Return the fastest of all tests, for a change that none calls in its own process."""
        return self._ordered(_fastest(self._profile.tests))

    def _ordered(self, tests: Iterable[TestProfile]) -> tuple[str, ...]:
        files: dict[str, list[TestProfile]] = defaultdict(list)
        for test in tests:
            files[_file(test)].append(test)
        groups = sorted(files.values(), key=lambda group: sum(test.seconds for test in group))
        return tuple(test.test for group in groups for test in group)

    def _run(self, order: Order) -> RunStatus:
        self._orders.sendall((order.model_dump_json() + "\n").encode())
        line = self._replies.readline()
        if not line:
            raise self._failed("the warm process ended")
        return Reply.model_validate_json(line).status

    def _failed(self, reason: str) -> TestsFailError:
        return TestsFailError(f"{' '.join(self._tests)}: {reason}\n{self._output.read_text(errors='replace')[-3000:]}")


def _fastest(tests: Iterable[TestProfile]) -> list[TestProfile]:
    """Return the fastest tests, up to `MOST_S` together, but at least one."""
    ordered = sorted(tests, key=lambda test: test.seconds)
    ends_s = accumulate(test.seconds for test in ordered)
    return [test for test, end_s in zip(ordered, ends_s, strict=True) if test is ordered[0] or end_s <= MOST_S]


def _file(test: TestProfile) -> str:
    return test.test.partition("::")[0]
