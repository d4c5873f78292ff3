"""Faults of the machine and of the servers' programs, injected one by one: each is named with its mend."""

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
from doctor.checks import machine, programs
from local_stack.servers import ports
from local_stack.servers.ports import LOOPBACK

from .faults import Expected, assert_named
from .injecting import Inject, Injecting


def another_processor(on: Injecting) -> Check:
    on.monkeypatch.setattr("platform.machine", lambda: "aarch64")
    return machine.check_system()


def python(version: tuple[int, int]) -> Inject:
    def inject(on: Injecting) -> Check:
        on.monkeypatch.setattr(sys, "version_info", (*version, 0))
        return machine.check_python()

    return inject


def other_packages(on: Injecting) -> Check:
    lock = on.file("uv.lock", '[[package]]\nname = "pydantic"\nversion = "0.0.1"\n')
    return machine.check_packages(lock)


def little_memory(on: Injecting) -> Check:
    return machine.check_memory(on.file("meminfo", "MemTotal: 900000 kB\nMemAvailable:  409600 kB\n"))


PLENTY = "MemAvailable: 64000000 kB\n"


def small_container(on: Injecting) -> Check:
    on.file("memory.max", f"{1 << 30}\n")
    on.file("memory.current", f"{900 << 20}\n")
    on.file("memory.stat", f"anon 7\ninactive_file {276 << 20}\n")
    return machine.check_memory(on.file("meminfo", PLENTY), on.folder)


def small_container_of_old(on: Injecting) -> Check:
    on.file("memory/memory.limit_in_bytes", f"{1 << 30}\n")
    on.file("memory/memory.usage_in_bytes", f"{700 << 20}\n")
    on.file("memory/memory.stat", f"cache 7\ninactive_file {76 << 20}\n")
    return machine.check_memory(on.file("meminfo", PLENTY), on.folder)


def few_open_files(on: Injecting) -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    on.undoing.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    return machine.check_open_files()


def no_temporary_folder(on: Injecting) -> Check:
    on.monkeypatch.setattr(tempfile, "tempdir", "/proc")
    return machine.check_temporary_folder()


def latin_letters(_on: Injecting) -> Check:
    return machine.check_text(output="latin-1")


def all_ports_taken(on: Injecting) -> Check:
    first = 31000
    on.monkeypatch.setattr(ports, "FIRST", first)
    on.monkeypatch.setattr(ports, "LAST", first + ports.ATTEMPTS)
    for port in range(first, first + ports.ATTEMPTS):
        taker = on.undoing.enter_context(socket.socket())
        if ports.is_free(port):
            taker.bind((LOOPBACK, port))
            taker.listen()
    return programs.check_ports()


def missing(check: Callable[[], Check]) -> Inject:
    def inject(on: Injecting) -> Check:
        on.programs_in(on.folder)
        return check()

    return inject


def not_executable(on: Injecting) -> Check:
    on.programs_in(on.file("nats-server", "", mode=0o644).parent)
    return programs.check_nats_program()


def broken(on: Injecting) -> Check:
    on.programs_in(on.file("weed", "#!/bin/sh\necho no such library >&2\nexit 3\n", mode=0o755).parent)
    return programs.check_seaweedfs_program()


def no_postgres(on: Injecting) -> Check:
    on.monkeypatch.setattr("local_stack.servers.binaries.find_spec", lambda _name: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    return programs.check_postgres_program()


FAULTS: dict[str, tuple[Inject, Expected]] = {
    "another processor": (another_processor, Expected("aarch64", "Linux on x86-64")),
    "Python too old": (python((3, 10)), Expected("too old", "3.11, 3.12 or 3.13")),
    "Python too new": (python((3, 14)), Expected("too new", "3.11, 3.12 or 3.13")),
    "packages unlike the lock": (other_packages, Expected(r"pydantic \S+, locked 0.0.1", r"\./run setup")),
    "little memory": (little_memory, Expected("400 MB available", "end other programs")),
    "small container": (small_container, Expected("^a run wants 1500 MB .400 MB available", "give the machine")),
    "small container, cgroups v1": (small_container_of_old, Expected("400 MB available", "container, VM")),
    "few open files": (few_open_files, Expected("256 per process", "ulimit -n")),
    "no temporary folder": (no_temporary_folder, Expected("cannot be written", "TMPDIR")),
    "no UTF-8": (latin_letters, Expected("latin-1", r"LC_ALL=C\.UTF-8")),
    "ports taken": (all_ports_taken, Expected("no 10 free", "ss -ltnp.*NATS_URL")),
    "nats-server missing": (missing(programs.check_nats_program), Expected("nats-server is not in", r"\./run setup")),
    "nats-server not executable": (not_executable, Expected("cannot be executed.*denied", r"\./run setup")),
    "Postgres missing": (no_postgres, Expected("Postgres binaries.*missing", r"\./run setup")),
    "weed missing": (missing(programs.check_seaweedfs_program), Expected("weed is not in", r"\./run setup")),
    "weed broken": (broken, Expected("ends with 3 .*no such library", r"\./run setup")),
}
FINE = (
    machine.check_system,
    machine.check_python,
    machine.check_open_files,
    machine.check_temporary_folder,
    partial(machine.check_text, "utf-8"),
    programs.check_nats_program,
    programs.check_postgres_program,
    programs.check_seaweedfs_program,
    programs.check_ports,
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_mend(fault: str, injecting: Injecting) -> None:
    inject, expected = FAULTS[fault]
    assert_named(inject(injecting), expected)


@pytest.mark.parametrize("check", FINE)
def test_what_is_fine_is_said_to_be_with_what_there_is(check: Callable[[], Check]) -> None:
    looked = check()
    assert looked.ok, looked
    assert looked.detail


def test_the_doctor_speaks_on_a_terminal_without_utf_8(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1", "MILLWRIGHT_DATA": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-m", "cli", "doctor"], capture_output=True, env=environment, timeout=100, check=False
    )
    assert ran.returncode == 1, ran.stderr
    assert b"LC_ALL=C.UTF-8" in ran.stdout
    assert b"Traceback" not in ran.stderr
