"""All attacks on one kernel, as the user that runs this: `python -m tests.cad_worker.kernel_defence FOLDER ORDER`."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from documents.shipped_skills import shipped_files

from tests.cad_worker.cells import run
from tests.support.confinement.attacks import ATTACKS, Defence, attack_code, not_denied
from tests.support.confinement.attacks_on_files import WORKSPACE_ATTACKS
from tests.support.isolated import ROOT

KERNEL_ATTACKS = {**ATTACKS, **WORKSPACE_ATTACKS}


async def defend_kernel(host: KernelHost, order: SessionOrder, attacks: Mapping[str, str] = KERNEL_ATTACKS) -> Defence:
    """Try every attack in one cell, while another session is open."""
    files = {"plan.md": b"# Plan\n", **shipped_files("engineer")}
    attacker, other = [await host.open_session(order, files, {}) for _ in range(2)]
    try:
        outcome = await run(attacker, attack_code(attacks, ROOT, other.workspace.folder))
    finally:
        for each in (attacker, other):
            await each.close()
    return Defence(user=os.geteuid(), tried=len(attacks), not_denied=not_denied(outcome.observation.output))


async def _main(folder: Path, order: SessionOrder) -> None:
    host = KernelHost(folder)
    await host.start()
    try:
        defence = await defend_kernel(host, order)
    finally:
        await host.stop()
    sys.stdout.write(defence.model_dump_json())


if __name__ == "__main__":
    given = SessionOrder.model_validate_json(Path(sys.argv[2]).read_text())
    asyncio.run(_main(Path(sys.argv[1]), given))
