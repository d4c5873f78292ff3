"""An ordinary client beside slow ones: `./run perf slow-clients [--slow 2000] [--rounds 5] [--requests 200]`.

The slow ones, in a process of their own, each send half of a request, then a byte of a header every 5 s, and connect
again within 10 s after they were disconnected. The ordinary client lists runs over a connection that it keeps, and over
new ones. Everything is on this machine. Exit code 1 if its 95th percentile is more than doubled, or an answer fails.
"""

import argparse
import asyncio
import contextlib
import random
import socket
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from perf.web.__main__ import append, gateway
from tests.support.clusters.cluster import Client, start_cluster
from tests.support.clusters.example_run import new_example_run, renamed_run
from tests.support.measurements import percentile, setting, table

HALF = b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BYTE_S, RETURN_S, SETTLE_S = 5.0, 10.0, 12.0
"""Slow ones are at work for `SETTLE_S` before the ordinary client begins: for longer than headers may take."""
MOST_SLOW = 5000
RUNS = 60
PATH = "/runs?limit=50"
GOAL = 2.0
KINDS = {"kept connection": False, "new connections": True}


def main() -> int:
    """Measure and print, or be the slow clients."""
    parser = argparse.ArgumentParser(description="An ordinary client beside slow ones.")
    parser.add_argument("--slow", type=int, default=2000, choices=range(1, MOST_SLOW + 1), metavar="1..5000")
    parser.add_argument("--rounds", type=int, default=5, help="each without and with slow clients")
    parser.add_argument("--requests", type=int, default=200, help="of each kind in each round")
    parser.add_argument("--hold", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.hold:
        return asyncio.run(_hold(arguments.hold, arguments.slow))
    print(f"# An ordinary client beside {arguments.slow} slow ones\n", flush=True)
    print(f"{setting(('uvicorn', 'h11', 'fastapi'))}\n", flush=True)
    return asyncio.run(_measure(arguments))


async def _measure(arguments: argparse.Namespace) -> int:
    times_s: dict[tuple[str, bool], list[float]] = {(kind, slow): [] for kind in KINDS for slow in (False, True)}
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster, Client(cluster.endpoints) as client:
            await _fill(client)
            async with gateway(cluster, Path(folder)) as url:
                for _ in range(arguments.rounds):
                    await _ask(url, arguments.requests, times_s, beside_slow=False)
                    async with _slow_clients(url, arguments.slow):
                        await _ask(url, arguments.requests, times_s, beside_slow=True)
    return _report(times_s)


def _report(times_s: dict[tuple[str, bool], list[float]]) -> int:
    rows: list[Sequence[str]] = []
    worst = 0.0
    for kind in KINDS:
        alone, beside = (times_s[kind, slow] for slow in (False, True))
        ratio = percentile(beside, 95) / percentile(alone, 95)
        worst = max(worst, ratio)
        figures = (1000 * percentile(times, percent) for percent in (50, 95) for times in (alone, beside))
        rows.append((kind, *(f"{each:.1f}" for each in figures), f"{ratio:.2f}"))
    head = ("ms", "median alone", "median beside", "p95 alone", "p95 beside", "p95 beside / alone")
    print(f"\n{table(head, rows)}\n\ngoal: at most {GOAL:g}", flush=True)
    return int(worst > GOAL)


async def _fill(client: Client) -> None:
    run = await new_example_run(client.artifacts)
    for number in range(RUNS):
        await append(client.log, renamed_run(run.events).events, 1 + len(run.events) * number)


async def _ask(url: str, count: int, times_s: dict[tuple[str, bool], list[float]], *, beside_slow: bool) -> None:
    for kind, is_new in KINDS.items():
        limits = httpx.Limits(max_keepalive_connections=0 if is_new else 1)
        async with httpx.AsyncClient(base_url=url, trust_env=False, limits=limits, timeout=60) as client:
            for _ in range(count):
                begun_s = time.perf_counter()
                (await client.get(PATH)).raise_for_status()
                times_s[kind, beside_slow].append(time.perf_counter() - begun_s)


@asynccontextmanager
async def _slow_clients(url: str, count: int) -> AsyncGenerator[None]:
    port = url.rpartition(":")[2]
    command = (sys.executable, "-m", "perf.slow_clients", "--hold", port, "--slow", str(count))
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE)
    try:
        await asyncio.sleep(SETTLE_S)
        yield
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def _hold(port: int, count: int) -> int:
    """Be slow clients until standard input ends; print how many connections they had."""
    opened = [0]
    slow = [asyncio.create_task(_slow(number, port, opened)) for number in range(count)]
    await asyncio.to_thread(sys.stdin.read)
    for each in slow:
        each.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    print(f"{count} slow clients opened {opened[0]} connections", flush=True)
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
