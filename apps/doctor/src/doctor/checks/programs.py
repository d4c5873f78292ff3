"""Checks of the programs of the local servers, and of free ports for them."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from local_stack.errors import UserError
from local_stack.servers.binaries import REINSTALL, postgres_installation, script
from local_stack.servers.ports import FIRST, LAST, LOOPBACK, free_ports
from local_stack.servers.server_stack import PORTS

from doctor.check import Check, failed, passed

TIMEOUT_S = 30.0
VERSION = re.compile(r"\d+(\.\d+)+")


def check_nats_program() -> Check:
    """Check that nats-server can be executed."""
    return _check_version("nats-server", lambda: script("nats-server"), "--version")


def check_postgres_program() -> Check:
    """Check that Postgres can be executed."""
    return _check_version("Postgres", lambda: postgres_installation() / "bin/postgres", "--version")


def check_seaweedfs_program() -> Check:
    """Check that SeaweedFS can be executed."""
    return _check_version("SeaweedFS", lambda: script("weed"), "version")


def check_ports() -> Check:
    """Check that there are enough free ports for the local servers."""
    try:
        free_ports(PORTS)
    except UserError as error:
        what = f"fewer than {PORTS} ports are free on {LOOPBACK}"
        fix = (
            "end the programs that listen there (`ss -ltnp`), or set NATS_URL, DATABASE_URL and S3_ENDPOINT to "
            "existing servers"
        )
        return failed("programs", "ports", what, fix, str(error))
    return passed("programs", "ports", f"{PORTS} free ones between {FIRST} and {LAST}")


def _check_version(name: str, find: Callable[[], Path], argument: str) -> Check:
    try:
        program = find()
        ran = subprocess.run([str(program), argument], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except UserError as error:
        return failed("programs", name, "the program is missing", REINSTALL, str(error))
    except OSError as error:
        measured = f"{error.filename}: {error.strerror}"
        return failed("programs", name, "the program cannot be executed", REINSTALL, measured)
    except subprocess.TimeoutExpired:
        return failed("programs", name, "the program hangs", REINSTALL, f"no version within {TIMEOUT_S:g} s")
    if ran.returncode != 0:
        lines = (ran.stderr or ran.stdout).strip().splitlines() or [f"exit code {ran.returncode}"]
        return failed("programs", name, f"the program exits with code {ran.returncode}", REINSTALL, lines[-1])
    version = VERSION.search(ran.stdout)
    return passed("programs", name, version.group() if version else "runs")
