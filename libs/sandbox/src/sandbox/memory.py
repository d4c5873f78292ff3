"""Available memory: the machine's, or what a container's limit leaves of it."""

from collections.abc import Iterator
from pathlib import Path

MACHINE = Path("/proc/meminfo")
CGROUPS = Path("/sys/fs/cgroup")
LIMITS = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
"""Files with a container's memory limit and usage: version 2 of cgroups, and version 1."""


def available_mib(machine: Path = MACHINE, cgroups: Path = CGROUPS) -> float:
    """Return how many MiB programs can still allocate before the machine swaps or the container is killed."""
    lines = dict(line.split(":", 1) for line in machine.read_text().splitlines() if ":" in line)
    return min([int(lines["MemAvailable"].split()[0]) << 10, *_available_bytes(cgroups)]) / (1 << 20)


def _available_bytes(cgroups: Path) -> Iterator[int]:
    """Yield what a limited container has left; cached files count as free, since the kernel drops them when needed."""
    for limit, usage in LIMITS:
        file = cgroups / limit
        if file.is_file() and (limit_bytes := file.read_text().strip()).isdigit():
            statistics = dict(line.split() for line in file.with_name("memory.stat").read_text().splitlines())
            cached = int(statistics.get("inactive_file", "0"))
            yield max(0, int(limit_bytes) - int((cgroups / usage).read_text()) + cached)
