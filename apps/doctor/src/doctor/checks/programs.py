"""The servers' programs, and ports for them."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from local_stack.errors import UserError
from local_stack.servers.binaries import AGAIN, postgres_home, script
from local_stack.servers.ports import FIRST, LAST, LOOPBACK, free_ports
from local_stack.servers.server_stack import PORTS

from doctor.check import Check, failed, passed

PATIENCE_S = 30.0
VERSION = re.compile(r"\d+(\.\d+)+")


def check_nats_program() -> Check:
    """nats-server is there and runs."""
    return _version("nats-server", lambda: script("nats-server"), "--version")


def check_postgres_program() -> Check:
    """Postgres is there and runs."""
    return _version("Postgres", lambda: postgres_home() / "bin/postgres", "--version")


def check_seaweedfs_program() -> Check:
    """SeaweedFS is there and runs."""
    return _version("SeaweedFS", lambda: script("weed"), "version")


def check_ports() -> Check:
    """Our servers find free ports."""
    try:
        free_ports(PORTS)
    except UserError as error:
        mend = (
            "end what listens there (`ss -ltnp`), or set NATS_URL, DATABASE_URL and S3_ENDPOINT to servers that exist"
        )
        return failed("programs", "ports", f"there are no {PORTS} free ones on {LOOPBACK}", mend, str(error))
    return passed("programs", "ports", f"{PORTS} free ones between {FIRST} and {LAST}")


def _version(name: str, find: Callable[[], Path], argument: str) -> Check:
    try:
        program = find()
        ran = subprocess.run([str(program), argument], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except UserError as error:
        return failed("programs", name, "the program is missing", AGAIN, str(error))
    except OSError as error:
        return failed("programs", name, "the program cannot be executed", AGAIN, f"{error.filename}: {error.strerror}")
    except subprocess.TimeoutExpired:
        return failed("programs", name, "the program hangs", AGAIN, f"no version within {PATIENCE_S:g} s")
    if ran.returncode != 0:
        said = (ran.stderr or ran.stdout).strip().splitlines() or [f"exit code {ran.returncode}"]
        return failed("programs", name, f"the program ends with {ran.returncode}", AGAIN, said[-1])
    return passed("programs", name, _number(ran.stdout))


def _number(said: str) -> str:
    """Return the version in what a program says of itself."""
    found = VERSION.search(said)
    return found.group() if found else "runs"
