"""How much memory there still is: the machine's, or what a container's limit leaves of it."""

from collections.abc import Iterator
from pathlib import Path

MACHINE = Path("/proc/meminfo")
CGROUPS = Path("/sys/fs/cgroup")
LIMITS = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
"""Of a container's memory, and what it uses: cgroups' second version, and their first."""


def available_mib(machine: Path = MACHINE, cgroups: Path = CGROUPS) -> float:
    """Return how many MiB programs can still have without swapping, and without a container's end."""
    lines = dict(line.split(":", 1) for line in machine.read_text().splitlines() if ":" in line)
    return min([int(lines["MemAvailable"].split()[0]) << 10, *_left_bytes(cgroups)]) / (1 << 20)


def _left_bytes(cgroups: Path) -> Iterator[int]:
    """Yield what a container has left, if it is limited; files that are only cached make room when it is wanted."""
    for limit, usage in LIMITS:
        file = cgroups / limit
        if file.is_file() and (told := file.read_text().strip()).isdigit():
            statistics = dict(line.split() for line in file.with_name("memory.stat").read_text().splitlines())
            cached = int(statistics.get("inactive_file", "0"))
            yield max(0, int(told) - int((cgroups / usage).read_text()) + cached)
