"""Latency and throughput of messages: `./run perf events [--rounds 5] [--count 200] [--events 5000]`, in Markdown.

Latency: a request and its outcome through two services on one server, for the chassis, raw nats-py and plain
FastStream. Throughput: events per second that one process validates and deduplicates. The exit code is always 0.
"""

import argparse
import asyncio

from perf.messaging.latency import latency_table, measure_latency
from perf.messaging.services import one_server
from perf.messaging.step_times import steps_table
from perf.messaging.throughput import rates_table
from tests.support.measurements import setting


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Latency and throughput of messages.")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each contender")
    parser.add_argument("--count", type=int, default=200, help="requests per turn")
    parser.add_argument("--events", type=int, default=5000, help="events per rate")
    arguments = parser.parse_args()
    asyncio.run(_measure(arguments.rounds, arguments.count, arguments.events))


async def _measure(rounds: int, count: int, events: int) -> None:
    print(f"# Latency and throughput of messages\n\n{setting()}\n", flush=True)
    async with one_server() as settings:
        print(f"## Request to outcome through two services, {rounds} x {count} each\n")
        print(latency_table(await measure_latency(settings, rounds, count)), flush=True)
        print(f"\n## Time of each step\n\n{await steps_table(settings)}", flush=True)
    print(f"\n## Events per second, {events} each\n")
    print(await rates_table(events), flush=True)


if __name__ == "__main__":
    main()
