"""Outages of servers in the middle of a run: `./run chaos outages [--seconds 60] [--all] [--only SERVER]`.

First a run of the offline expert undisturbed; then one for each outage. A server is killed and not restarted, or
frozen, so that it accepts connections and answers nothing. Exit code 1 if a run ends otherwise than undisturbed, or if
an event is missing, doubled, or abandoned.
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

from local_stack.servers.server_stack import ALL

from tests.chaos.outage_runs import MOMENTS, Outage, Report, run_with_outage
from tests.support.clusters.cluster import Interruption, start_cluster
from tests.support.measurements import setting, table

INTERRUPTIONS: tuple[Interruption, ...] = ("killed", "frozen")
DEFAULT: tuple[tuple[str, Interruption, str], ...] = (
    ("seaweedfs", "killed", "cell"),
    ("seaweedfs", "frozen", "validation"),
    ("postgres", "killed", "planning"),
    ("postgres", "frozen", "cell"),
    ("nats-server", "killed", "validation"),
    ("nats-server", "frozen", "cell"),
    ("postgres", "killed", "learning"),
    ("seaweedfs", "killed", "verdict"),
)
"""A run each; `--all` interrupts every server in both ways at every moment."""
HEAD = ("outage", "from", "as undisturbed", "events", "lost", "doubled", "dead letters", "resumed s", "lines printed")
OUTAGE_LINE = re.compile(r"does not answer since|is back after")
SHOWN_CHARS = 150


def main() -> int:
    """Print a paragraph per outage, and the totals."""
    parser = argparse.ArgumentParser(description="Interrupts servers in the middle of runs.")
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of each outage")
    parser.add_argument("--only", choices=ALL, action="append", help="default: all three")
    parser.add_argument("--moment", choices=list(MOMENTS), action="append", help="default: several")
    parser.add_argument("--all", action="store_true", help="all servers, both ways, all moments")
    arguments = parser.parse_args()
    outages = [
        Outage(server, interruption, moment, arguments.seconds)
        for server, interruption, moment in (product(ALL, INTERRUPTIONS, MOMENTS) if arguments.all else DEFAULT)
        if server in (arguments.only or ALL) and moment in (arguments.moment or MOMENTS)
    ]
    return asyncio.run(_measure(outages))


async def _measure(outages: Sequence[Outage]) -> int:
    logging.basicConfig(level=logging.ERROR)  # the watcher's own warnings about NATS are expected
    print(f"# Outages of servers in the middle of a run\n\n{setting()}\n", flush=True)
    rows: list[tuple[str, ...]] = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with start_cluster(Path(folder) / "servers") as cluster:
            undisturbed = await run_with_outage(cluster, Path(folder) / "undisturbed", None)
            _print(undisturbed, problems(undisturbed, undisturbed))
            for number, outage in enumerate(outages):
                report = await run_with_outage(cluster, Path(folder) / str(number), outage)
                found = problems(report, undisturbed)
                _print(report, found)
                rows.append(_row(outage, report, found))
    print(table(HEAD, rows))
    wrong = sum(row[2] != "yes" for row in rows)
    print(f"\n{len(outages)} outages, {wrong} wrong runs")
    return 1 if wrong else 0


def problems(report: Report, undisturbed: Report) -> list[str]:
    """Return what is wrong with a run."""
    found = [
        (report.exit_code != 0, f"the command ended with {report.exit_code}: {report.printed[-500:]}"),
        (bool(report.lost), f"{len(report.lost)} events are not in Postgres: {report.lost[:3]}"),
        (bool(report.doubled), f"{len(report.doubled)} ids are doubled: {report.doubled[:3]}"),
        (bool(report.counts["MessageAbandoned"]), f"{report.counts['MessageAbandoned']} messages were abandoned"),
    ]
    more, less = report.counts - undisturbed.counts, undisturbed.counts - report.counts
    found += [(bool(more), f"more than undisturbed: {dict(more)}"), (bool(less), f"less: {dict(less)}")]
    if report.outage is not None:
        found.append((not _outage_lines(report), "the command did not report the outage"))
    return [text for is_wrong, text in found if is_wrong]


def _outage_lines(report: Report) -> int:
    return sum(bool(OUTAGE_LINE.search(text)) for _, text in report.printed_meanwhile)


def _row(outage: Outage, report: Report, found: list[str]) -> tuple[str, ...]:
    return (
        str(outage),
        outage.moment,
        "NO" if found else "yes",
        str(report.counts.total()),
        str(len(report.lost)),
        str(len(report.doubled)),
        str(report.counts["MessageAbandoned"]),
        "none" if report.resumed_s is None else f"{report.resumed_s:.1f}",
        str(_outage_lines(report)),
    )


def _print(report: Report, found: list[str]) -> None:
    outage = report.outage
    print(f"## {outage}, from {MOMENTS[outage.moment]} on ({outage.moment})" if outage else "## undisturbed")
    verdict = "WRONG" if found else "ended as expected"
    print(f"- {verdict}: exit code {report.exit_code} after {report.seconds:.0f} s")
    print(
        f"- {report.counts.total()} events; lost {len(report.lost)}, doubled {len(report.doubled)}, "
        f"dead letters {report.counts['MessageAbandoned']}"
    )
    if outage is not None:
        resumed = "no event after the return"
        if report.resumed_s is not None:
            resumed = f"next event {report.resumed_s:.1f} s after the return, longest silence {report.silence_s:.1f} s"
        print(f"- {report.meanwhile} events meanwhile; {resumed}")
        for at_s, text in report.printed_meanwhile:
            print(f"    {at_s:5.1f} s  {text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + '…'}")
    for problem in found:
        print(f"- PROBLEM: {problem}")
    print(flush=True)


if __name__ == "__main__":
    sys.exit(main())
