"""How a container engine learns whether a service is well."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

from chassis.observability.health_file import read_problems, write_health


class Patient:
    """Says what it is told to say."""

    def __init__(self, *problems: str) -> None:
        self.problems = list(problems)

    async def health(self) -> list[str]:
        """Return what is wrong."""
        return self.problems


async def told(patient: Patient, path: Path) -> list[str]:
    telling = asyncio.create_task(write_health(patient, path, every_s=0.01))
    await asyncio.sleep(0.1)
    telling.cancel()
    await asyncio.wait((telling,))
    return read_problems(path)


def examined(path: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "chassis.observability.health_file", str(path))
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def test_who_is_well_is_seen_to_be_well(tmp_path: Path) -> None:
    assert await told(Patient(), tmp_path / "health") == []
    assert examined(tmp_path / "health").returncode == 0


async def test_problems_are_told_to_who_looks_from_outside(tmp_path: Path) -> None:
    assert await told(Patient("critic is not connected to NATS"), tmp_path / "health") == [
        "critic is not connected to NATS"
    ]
    seen = examined(tmp_path / "health")
    assert (seen.returncode, seen.stdout) == (1, "critic is not connected to NATS\n")


def test_who_has_not_started_is_not_well(tmp_path: Path) -> None:
    seen = examined(tmp_path / "health")
    assert seen.returncode == 1
    assert "has not started" in seen.stdout


async def test_who_hangs_is_not_well(tmp_path: Path) -> None:
    await told(Patient(), tmp_path / "health")
    long_ago = time.time() - 60
    os.utime(tmp_path / "health", (long_ago, long_ago))
    assert read_problems(tmp_path / "health") == ["the service has said nothing for 60 s"]


def test_looking_imports_nothing_but_the_standard_library() -> None:
    code = "import sys, chassis.observability.health_file; print(*{name.split('.')[0] for name in sys.modules})"
    seen = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert not {"pydantic", "nats", "faststream"} & set(seen.stdout.split())
