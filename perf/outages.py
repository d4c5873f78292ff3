"""Servers that are away in the middle of a run: `python -m perf.outages [--seconds 60] [--all] [--only SERVER]`.

First a run of the offline expert undisturbed; then one for each outage. A server is killed and kept down, or frozen, so
that it takes connections and answers nothing. Exit code 1 when a run ends otherwise than undisturbed, or when an event
is missing, stands twice, or was given up.
"""

import argparse
import asyncio
import logging
import re
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from perf.absence.outage import MOMENTS, Outage, Report, suffer
from perf.absence.servers import Manner, servers
from perf.messages.timing import setting, table

SERVERS = ("seaweedfs", "postgres", "nats-server")
MANNERS: tuple[Manner, ...] = ("killed", "frozen")
USUAL: tuple[tuple[str, Manner, str], ...] = (
    ("seaweedfs", "killed", "cell"),
    ("seaweedfs", "frozen", "validation"),
    ("postgres", "killed", "planning"),
    ("postgres", "frozen", "cell"),
    ("nats-server", "killed", "validation"),
    ("nats-server", "frozen", "cell"),
    ("postgres", "killed", "learning"),
    ("seaweedfs", "killed", "verdict"),
)
"""A run each; `--all` has every server away in both ways at every moment."""
HEAD = ("away", "from", "as undisturbed", "events", "lost", "doubled", "dead letters", "goes on after s", "lines told")
TELLING = re.compile(r"has not answered for|is back after")
SHOWN_CHARS = 150


def main() -> int:
    """Print a paragraph per outage, and the sums."""
    parser = argparse.ArgumentParser(description="Takes servers away in the middle of runs.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each server is away")
    parser.add_argument("--only", choices=SERVERS, action="append", help="default: all three")
    parser.add_argument("--moment", choices=list(MOMENTS), action="append", help="default: several")
    parser.add_argument("--all", action="store_true", help="all servers, both ways, all moments")
    arguments = parser.parse_args()
    outages = [
        Outage(server, manner, moment, arguments.seconds)
        for server, manner, moment in (product(SERVERS, MANNERS, MOMENTS) if arguments.all else USUAL)
        if server in (arguments.only or SERVERS) and moment in (arguments.moment or MOMENTS)
    ]
    return asyncio.run(_measure(outages))


async def _measure(outages: Sequence[Outage]) -> int:
    logging.basicConfig(level=logging.ERROR)  # that the witness, too, loses NATS is no news
    print(f"# Servers away in the middle of a run\n\n{setting()}\n", flush=True)
    rows: list[tuple[str, ...]] = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with servers(Path(folder) / "servers") as standing:
            undisturbed = await suffer(standing, Path(folder) / "undisturbed", None)
            _show(undisturbed, faults(undisturbed, undisturbed))
            for number, outage in enumerate(outages):
                report = await suffer(standing, Path(folder) / str(number), outage)
                found = faults(report, undisturbed)
                _show(report, found)
                rows.append(_row(outage, report, found))
    print(table(HEAD, rows))
    wrong = sum(row[2] != "yes" for row in rows)
    print(f"\n{len(outages)} outages, {wrong} runs that went otherwise")
    return 1 if wrong else 0


def faults(report: Report, undisturbed: Report) -> list[str]:
    """Return in words what should not have happened."""
    found = [
        (report.exit_code != 0, f"the command ended with {report.exit_code}: {report.printed[-500:]}"),
        (bool(report.lost), f"{len(report.lost)} events are not in Postgres: {report.lost[:3]}"),
        (bool(report.doubled), f"{len(report.doubled)} ids stand twice: {report.doubled[:3]}"),
        (bool(report.counts["MessageAbandoned"]), f"{report.counts['MessageAbandoned']} messages were given up"),
    ]
    more, less = report.counts - undisturbed.counts, undisturbed.counts - report.counts
    found += [(bool(more), f"more than undisturbed: {dict(more)}"), (bool(less), f"less: {dict(less)}")]
    if report.outage is not None:
        told = any(TELLING.search(text) for _, text in report.told)
        found.append((not told, "the user was not told that the server is away"))
    return [words for is_fault, words in found if is_fault]


def _row(outage: Outage, report: Report, found: list[str]) -> tuple[str, ...]:
    return (
        f"{outage.server} {outage.manner} for {outage.seconds:g} s",
        outage.moment,
        "NO" if found else "yes",
        str(report.counts.total()),
        str(len(report.lost)),
        str(len(report.doubled)),
        str(report.counts["MessageAbandoned"]),
        "none" if report.resumed_s is None else f"{report.resumed_s:.1f}",
        str(sum(bool(TELLING.search(text)) for _, text in report.told)),
    )


def _show(report: Report, found: list[str]) -> None:
    outage = report.outage
    title = "undisturbed" if outage is None else f"{outage.server} {outage.manner} for {outage.seconds:g} s"
    print(f"## {title}{f', from {MOMENTS[outage.moment]} on ({outage.moment})' if outage else ''}")
    print(
        f"- {'ended as expected' if not found else 'WRONG'}: exit code {report.exit_code} after {report.seconds:.0f} s"
    )
    print(
        f"- {report.counts.total()} events; lost {len(report.lost)}, doubled {len(report.doubled)}, "
        f"dead letters {report.counts['MessageAbandoned']}"
    )
    if outage is not None:
        resumed = "nothing was left to say"
        if report.resumed_s is not None:
            resumed = f"next event {report.resumed_s:.1f} s after the return, longest silence {report.silence_s:.1f} s"
        print(f"- {report.meanwhile} events meanwhile; {resumed}")
        for at_s, text in report.told:
            print(f"    {at_s:5.1f} s  {text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + '…'}")
    for words in found:
        print(f"- FAULT: {words}")
    print(flush=True)


if __name__ == "__main__":
    sys.exit(main())
