"""The health of a service in a file, and the command by which a container engine reads it."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

from chassis.observability.health_file import read_problems, write_health


async def _write(path: Path, *problems: str) -> None:
    async def health() -> list[str]:
        return list(problems)

    writing = asyncio.create_task(write_health(health, path, every_s=0.01))
    await asyncio.sleep(0.1)
    writing.cancel()
    await asyncio.wait((writing,))


def _run_command(path: Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "chassis.observability.health_file", str(path))
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def test_healthy_service_has_no_problems(tmp_path: Path) -> None:
    await _write(tmp_path / "health")
    assert read_problems(tmp_path / "health") == []
    assert _run_command(tmp_path / "health").returncode == 0


async def test_problems_are_printed_and_set_the_exit_code(tmp_path: Path) -> None:
    await _write(tmp_path / "health", "critic is not connected to NATS")
    assert read_problems(tmp_path / "health") == ["critic is not connected to NATS"]
    run = _run_command(tmp_path / "health")
    assert (run.returncode, run.stdout) == (1, "critic is not connected to NATS\n")


def test_missing_file_is_a_problem(tmp_path: Path) -> None:
    run = _run_command(tmp_path / "health")
    assert run.returncode == 1
    assert "has not started" in run.stdout


async def test_stale_file_is_a_problem(tmp_path: Path) -> None:
    await _write(tmp_path / "health")
    long_ago = time.time() - 60
    os.utime(tmp_path / "health", (long_ago, long_ago))
    (problem,) = read_problems(tmp_path / "health")
    assert "60 s" in problem


def test_module_imports_only_the_standard_library() -> None:
    code = "import sys, chassis.observability.health_file; print(*{name.split('.')[0] for name in sys.modules})"
    run = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert not {"pydantic", "nats", "faststream"} & set(run.stdout.split())
