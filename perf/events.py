"""What a message costs: `python -m perf.events [--rounds 5] [--count 200] [--events 5000]`, in Markdown.

First a request and its outcome through two services, side by side on one server: the chassis, raw nats-py, plain
FastStream. Then how many events a second one process validates and deduplicates. Figures to chase; nothing fails.
"""

import argparse
import asyncio

from perf.messaging.latency import latency_table, race
from perf.messaging.services import one_server
from perf.messaging.step_times import steps_table
from perf.messaging.throughput import rates_table
from tests.support.measurements import setting


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a message costs.")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each rival")
    parser.add_argument("--count", type=int, default=200, help="requests in one turn")
    parser.add_argument("--events", type=int, default=5000, help="for each rate")
    arguments = parser.parse_args()
    asyncio.run(_measure(arguments.rounds, arguments.count, arguments.events))


async def _measure(rounds: int, count: int, events: int) -> None:
    print(f"# What a message costs\n\n{setting()}\n", flush=True)
    async with one_server() as settings:
        print(f"## Request to outcome through two services, {rounds} x {count} each\n")
        print(latency_table(await race(settings, rounds, count)), flush=True)
        print(f"\n## Where the time goes\n\n{await steps_table(settings)}", flush=True)
    print(f"\n## Events a second, {events} each\n")
    print(await rates_table(events), flush=True)


if __name__ == "__main__":
    main()
