"""Runs all attacks on a kernel in the container that runs this; prints a report.

Arguments: servers, such as nats:4222, that a kernel must not reach either.
"""

import asyncio
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from artifacts.port import reference
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from sandbox.confinement import landlock

from tests.cad_worker.kernel_defence import KERNEL_ATTACKS, defend_kernel
from tests.deploy.sandbox.attack_report import AttackReport
from tests.support.confinement.attacks import ATTACKS, HARMLESS_OUTSIDE, attack_code, not_denied
from tests.support.isolated import ROOT
from tests.support.kernel_world import ENVIRONMENT_CODE, assignment


async def _main(servers: Sequence[str]) -> AttackReport:
    on_servers = {f"connect to {server}": _connect_attack(server) for server in servers}
    task = assignment(reference(ENVIRONMENT_CODE.encode(), "text/x-python"))
    host = KernelHost()
    await host.start()
    try:
        build = await host.build_environment(ENVIRONMENT_CODE, task.variant)
        assert build.files is not None, build.fault
        order = SessionOrder(assignment=task, environment=build.files.geometry)
        defence = await defend_kernel(host, order, {**KERNEL_ATTACKS, **on_servers})
    finally:
        await host.stop()
    return AttackReport(
        linux=platform.release(),
        landlock_abi=landlock.abi(),
        user=defence.user,
        tried=defence.tried,
        not_denied=defence.not_denied,
        harmless_outside=await asyncio.to_thread(_harmless_outside, on_servers),
    )


def _connect_attack(server: str) -> str:
    """Return an attack; the name is resolved here, so that the attack needs no DNS."""
    host, port = server.split(":")
    return f"socket.create_connection({(socket.gethostbyname(host), int(port))!r}, 5)"


def _harmless_outside(on_servers: Mapping[str, str]) -> tuple[str, ...]:
    harmless = {**{name: ATTACKS[name] for name in HARMLESS_OUTSIDE}, **on_servers}
    with tempfile.TemporaryDirectory() as folder:
        mine, other = Path(folder, "mine"), Path(folder, "other")
        for each in (mine, other):
            each.mkdir()
            (each / "script.py").write_text("pass\n")
        code = attack_code(harmless, ROOT, other)
        ran = subprocess.run((sys.executable, "-c", code), cwd=mine, capture_output=True, text=True, check=True)
    return tuple(name for name, came in not_denied(ran.stdout).items() if came == "DONE")


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(_main(sys.argv[1:])).model_dump_json())
