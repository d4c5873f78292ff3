"""The watch of services that hang or are unwell."""

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from chassis.observability.health_file import STALE_S
from local_stack.watches.service_watch import LASTING_LOOKS, ServiceWatch, health_in


async def report_of(looks: Sequence[Sequence[str]], *, is_outage: bool = False) -> list[str]:
    """Return what a watch reports of a service that has these problems, one look after the other."""
    reported: list[str] = []
    left = list(looks)
    done = asyncio.Event()

    async def health() -> list[str]:
        if not left:
            done.set()
            return []
        return list(left.pop(0))

    watch = ServiceWatch(reported.append, lambda: is_outage, look_s=0.001)
    watch.add("cad-worker", health)
    watching = asyncio.create_task(watch.watch())
    if is_outage:
        await asyncio.sleep(0.05)
    else:
        await done.wait()
    watching.cancel()
    return reported


async def test_lasting_problem_is_reported_once_and_so_is_its_end() -> None:
    lasting = [["its watchdog has ended"]] * (LASTING_LOOKS + 2)
    assert await report_of([[], *lasting, [], []]) == [
        "cad-worker is unwell: its watchdog has ended",
        "cad-worker is well again",
    ]


async def test_passing_problem_is_not_reported() -> None:
    assert await report_of([["slow"]] * (LASTING_LOOKS - 1)) == []


@pytest.mark.parametrize(
    "problem",
    [
        "background task 'follow' failed and was begun again: TimeoutError: nats: timeout",
        "recorder gets no answer from JetStream: TimeoutError('nats: timeout')",
        "12 messages are unrecorded, the oldest for 40 s: it should be less than 30 s",
    ],
)
async def test_trouble_that_ends_by_itself_is_logged_and_not_reported(
    problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert await report_of([[problem]] * (LASTING_LOOKS + 1)) == []
    assert problem in caplog.text


async def test_outage_of_a_server_is_left_to_its_own_report() -> None:
    assert await report_of([["not connected"]] * 9, is_outage=True) == []


async def test_process_that_hangs_is_unwell_and_one_that_starts_is_not(tmp_path: Path) -> None:
    file = tmp_path / "sim-worker.health"
    health = health_in(file)
    assert await health() == []
    file.write_text("")
    assert await health() == []
    written_s = time.time() - STALE_S - 60
    os.utime(file, (written_s, written_s))
    (problem,) = await health()
    assert problem.startswith("the service has not reported for ")
