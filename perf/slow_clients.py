"""An ordinary client beside slow ones: `./run perf slow-clients [--slow 2000] [--rounds 9] [--requests 100]`.

The slow ones, in a process of their own, each send half of a request, then a byte of a header every 5 s, and connect
again within 10 s after they were disconnected. The ordinary client lists runs over a connection that it keeps, and over
new ones. In each round it does so without them, beside them, and without them again: the 95th percentile beside them is
compared with the mean of the two around it, and the median of all rounds counts, so that other work on the machine
weighs on both sides. Everything is on this machine. Exit code 1 if the 95th percentile is more than doubled, or an
answer fails.
"""

import argparse
import asyncio
import contextlib
import random
import socket
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

import httpx

from perf.web.__main__ import append, gateway
from tests.support.clusters.cluster import Client, start_cluster
from tests.support.clusters.example_run import new_example_run, renamed_run
from tests.support.measurements import percentile, setting, table

HALF = b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BYTE_S, RETURN_S = 5.0, 10.0
MOST_SLOW = 5000
RUNS = 60
PATH = "/runs?limit=50"
GOAL = 2.0
LOOK_S = 0.1
KINDS = {"kept connection": False, "new connections": True}


def main() -> int:
    """Measure and print, or be the slow clients."""
    parser = argparse.ArgumentParser(description="An ordinary client beside slow ones.")
    parser.add_argument("--slow", type=int, default=2000, choices=range(1, MOST_SLOW + 1), metavar="1..5000")
    parser.add_argument("--rounds", type=int, default=9, help="each without, with and without slow clients")
    parser.add_argument("--requests", type=int, default=100, help="of each kind in each third of a round")
    parser.add_argument("--hold", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.hold:
        return asyncio.run(_hold(arguments.hold, arguments.slow))
    print(f"# An ordinary client beside {arguments.slow} slow ones\n", flush=True)
    print(f"{setting(('uvicorn', 'h11', 'fastapi'))}\n", flush=True)
    return asyncio.run(_measure(arguments))


@dataclass(frozen=True)
class Round:
    """Seconds of the requests of one kind: before, beside and after slow clients."""

    before: Sequence[float]
    beside: Sequence[float]
    after: Sequence[float]

    def ratio(self, percent: int) -> float:
        """Return how many times as long a percentile is beside slow clients."""
        alone = mean(percentile(each, percent) for each in (self.before, self.after))
        return percentile(self.beside, percent) / alone


async def _measure(arguments: argparse.Namespace) -> int:
    rounds: dict[str, list[Round]] = {kind: [] for kind in KINDS}
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster, Client(cluster.endpoints) as client:
            await _fill(client)
            async with gateway(cluster, Path(folder)) as url:
                before = await _ask(url, arguments.requests)
                for _ in range(arguments.rounds):
                    async with _slow_clients(url, arguments.slow):
                        beside = await _ask(url, arguments.requests)
                    after = await _ask(url, arguments.requests)
                    for kind in KINDS:
                        rounds[kind].append(Round(before[kind], beside[kind], after[kind]))
                    before = after
    return _report(rounds)


def _report(rounds: Mapping[str, Sequence[Round]]) -> int:
    rows: list[Sequence[str]] = []
    worst = 0.0
    for kind, each in rounds.items():
        alone = [second for one in each for second in one.before]
        beside = [second for one in each for second in one.beside]
        ratios = sorted(one.ratio(95) for one in each)
        worst = max(worst, median(ratios))
        figures = (1000 * percentile(times, percent) for percent in (50, 95) for times in (alone, beside))
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        rows.append((kind, *(f"{figure:.1f}" for figure in figures), f"{median(ratios):.2f}", spread))
    pooled = ("median alone", "median beside", "p95 alone", "p95 beside")
    head = ("ms", *pooled, "p95 beside / alone, median of rounds", "least and most of rounds")
    print(f"\n{table(head, rows)}\n\ngoal: at most {GOAL:g}", flush=True)
    return int(worst > GOAL)


async def _fill(client: Client) -> None:
    run = await new_example_run(client.artifacts)
    for number in range(RUNS):
        await append(client.log, renamed_run(run.events).events, 1 + len(run.events) * number)


async def _ask(url: str, count: int) -> dict[str, list[float]]:
    """Return the seconds of each request, by kind."""
    times_s: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for kind, is_new in KINDS.items():
        limits = httpx.Limits(max_keepalive_connections=0 if is_new else 1)
        async with httpx.AsyncClient(base_url=url, trust_env=False, limits=limits, timeout=60) as client:
            for _ in range(count):
                begun_s = time.perf_counter()
                (await client.get(PATH)).raise_for_status()
                times_s[kind].append(time.perf_counter() - begun_s)
    return times_s


@asynccontextmanager
async def _slow_clients(url: str, count: int) -> AsyncGenerator[None]:
    port = url.rpartition(":")[2]
    command = (sys.executable, "-m", "perf.slow_clients", "--hold", port, "--slow", str(count))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        print((await process.stdout.readline()).decode(), end="", flush=True)
        yield
    finally:
        process.stdin.close()
        print((await process.stdout.read()).decode(), end="", flush=True)
        await process.wait()


async def _hold(port: int, count: int) -> int:
    """Be slow clients until standard input ends; print when each could have had a connection, and how many they had."""
    opened = [0]
    slow = [asyncio.create_task(_slow(number, port, opened)) for number in range(count)]
    while opened[0] < count:  # noqa: ASYNC110 - the clients count
        await asyncio.sleep(LOOK_S)
    print(f"{count} slow clients are at work", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for each in slow:
        each.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    print(f"they opened {opened[0]} connections", flush=True)
    return 0


async def _slow(number: int, port: int, opened: list[int]) -> None:
    loop, pauses = asyncio.get_running_loop(), random.Random(number)  # noqa: S311 - a load
    while True:
        await asyncio.sleep(pauses.uniform(0.0, RETURN_S))
        with contextlib.suppress(OSError), socket.socket() as connection:
            connection.setblocking(False)
            await loop.sock_connect(connection, ("127.0.0.1", port))
            opened[0] += 1
            await loop.sock_sendall(connection, HALF)
            while True:
                await asyncio.sleep(BYTE_S)
                await loop.sock_sendall(connection, b"x")


if __name__ == "__main__":
    sys.exit(main())
