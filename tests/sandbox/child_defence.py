"""All attacks on one child, as the user that runs this: `python -m tests.sandbox.child_defence FOLDER`."""

import asyncio
import os
import sys
from pathlib import Path

from sandbox.host import SandboxHost

from tests.sandbox.untrusted_code import PROGRAMS, RUN_CODE, Code
from tests.support.confinement.attacks import ATTACKS, Defence, attack_code, not_denied
from tests.support.isolated import ROOT

OWN_FILE = "open('script.py', 'w').close()\n"
"""Some attacks misuse a file of the child's workspace."""


async def defend_child(host: SandboxHost) -> Defence:
    """Try every attack in one child, beside the workspace of another."""
    other = host.new_workspace()
    (other.path / "script.py").write_text("secret = 1\n")
    try:
        printed = await host.run_job(RUN_CODE, Code(text=OWN_FILE + attack_code(ATTACKS, ROOT, other.path)))
    finally:
        other.remove()
    return Defence(user=os.geteuid(), tried=len(ATTACKS), not_denied=not_denied(printed.text))


async def _main(folder: Path) -> None:
    host = SandboxHost(PROGRAMS, folder)
    await host.start()
    try:
        defence = await defend_child(host)
    finally:
        await host.stop()
    sys.stdout.write(defence.model_dump_json())


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
