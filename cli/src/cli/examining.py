"""What a run needs of this machine."""

import asyncio
import platform
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from cad_worker.sandbox.confining import missing_features
from sim_worker.graphics import check as check_graphics

from cli.errors import CannotGoOnError
from cli.reaching import reach
from cli.requesting import require_model
from cli.room import require_room
from cli.servers.binaries import postgres_home, script
from cli.servers.ports import free_ports
from cli.servers.stack import PORTS
from cli.settings import Surroundings

OLDEST, NEWEST = (3, 11), (3, 13)
KNOCK_S = 2.0


async def examine(surroundings: Surroundings) -> AsyncIterator[tuple[str, str | None]]:
    """Yield each thing that was checked, and what is wrong with it, if anything."""
    checks: dict[str, Callable[[], str | None]] = {
        "machine": check_machine,
        "Python": check_python,
        "nats-server": lambda: _refusal(lambda: _runs(script("nats-server"), "--version")),
        "Postgres": lambda: _refusal(lambda: _runs(postgres_home() / "bin/postgres", "--version")),
        "SeaweedFS": lambda: _refusal(lambda: _runs(script("weed"), "version")),
        "rendering": check_graphics,
        "sandbox": lambda: "; ".join(missing_features()) or None,
        "ports": lambda: _refusal(lambda: free_ports(PORTS)),
        "disk": lambda: _refusal(lambda: require_room(surroundings.millwright_data)),
        "model": lambda: _refusal(lambda: require_model(surroundings.millwright_model)),
    }
    for name, check in checks.items():
        yield name, await asyncio.to_thread(check)
    yield "servers", await check_servers(surroundings)


def check_machine() -> str | None:
    """Return what is wrong with the processor or the system."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"{sys.platform} on {platform.machine()} is not supported yet: use Linux on x86-64"
    return None


def check_python() -> str | None:
    """Return what is wrong with the interpreter."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return None
    return f"{platform.python_version()} is too old or too new: use 3.11, 3.12 or 3.13"


async def check_servers(surroundings: Surroundings) -> str | None:
    """Return what is wrong with the servers to join; nothing is wrong when we start our own."""
    try:
        await reach(surroundings.servers_to_join() or {}, patience_s=KNOCK_S)
    except CannotGoOnError as error:
        return str(error)
    return None


def _runs(program: Path, *arguments: str) -> None:
    try:
        ran = subprocess.run([str(program), *arguments], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotGoOnError(f"{program} does not run ({error}); set up again: ./run setup") from error
    if ran.returncode != 0:
        raise CannotGoOnError(f"{program} ends with {ran.returncode}; set up again: ./run setup")


def _refusal(check: Callable[[], object]) -> str | None:
    """Return what a check refuses with."""
    try:
        check()
    except CannotGoOnError as error:
        return str(error)
    return None
