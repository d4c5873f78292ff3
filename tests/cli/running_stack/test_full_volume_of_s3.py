"""A full volume of S3 is named everywhere; a run under way, and one that begins meanwhile, end by themselves."""

import contextlib
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from local_stack.data_folder import StackState
from local_stack.servers.secrets import read_secrets
from local_stack.servers.server_stack import ServerStack
from local_stack.servers.stack_records import erase

from tests.cli.conftest import RunCommand
from tests.cli.running_stack.test_stack_commands import STOP_S, start, wait_for_state
from tests.support.clusters.small_disk import fill, free_again, small_disk

VOLUME_MB = 500
"""More than the reserve, below which new runs wait."""


def body(state: StackState, data: Path, path: str) -> str:
    """Return what the API answers to its owner, whatever the status."""
    token = (data / "gateway-token").read_text("utf-8").strip()
    request = Request(f"{state.api_url}{path}", headers={"Authorization": f"Bearer {token}"})
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.read().decode()
    except OSError as error:
        read: Callable[[], bytes] = getattr(error, "read", bytes)
        return read().decode()


@pytest.mark.timeout(900)
def test_runs_wait_for_a_full_volume_of_s3_and_end_solved(tmp_path: Path, run_command: RunCommand) -> None:
    data = tmp_path / "stack" / "data"
    ServerStack(data).start().stop()
    shutil.rmtree(data / "seaweedfs")
    with small_disk(data / "seaweedfs", VOLUME_MB) as volume:
        up = start(data, "up")
        state = wait_for_state(data, up)
        first = start(data, "solve", "gravity-chute", "--seed", "2")
        assert first.stdout is not None
        next(line for line in first.stdout if "Check design" in line)
        fill(volume)
        second = start(data, "solve", "gravity-chute", "--seed", "3")
        named = f"0 MB are free on the disk of {volume}: new runs wait"
        assert second.stderr is not None
        assert second.stdout is not None
        for path in ("/health", "/pages"):
            until(lambda path=path: named in body(state, data, path))
        diagnosis = run_command("doctor", MILLWRIGHT_DATA=str(data))
        assert str(volume) in diagnosis.output + diagnosis.errors, diagnosis
        assert [each.poll() for each in (first, second)] == [None, None]
        free_again(volume)
        for each in (first, second):
            printed, errors = each.communicate()
            assert (each.returncode, "SOLVED" in printed) == (0, True), printed + errors
        up.send_signal(signal.SIGINT)
        up.communicate(timeout=STOP_S)
        with contextlib.suppress(OSError):
            erase(read_secrets(data / "secrets.json").stack)


def until(condition: Callable[[], bool]) -> None:
    """Return once it holds; the test's own time limit ends the wait."""
    while not condition():
        time.sleep(0.5)
