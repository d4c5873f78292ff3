"""All attacks against one host, as whoever runs this: `python -m tests.cad_worker.sandbox.trying FOLDER ORDER`."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from pydantic import BaseModel

from tests.cad_worker.running import run
from tests.cad_worker.sandbox.attacks import ATTACKS, attempt, not_denied

REPOSITORY = Path(__file__).parents[3]


class Defence(BaseModel):
    """What became of the attacks."""

    user: int
    tried: int
    not_denied: dict[str, str]
    """By name: what came instead of a refusal."""


async def defend(host: KernelHost, order: SessionOrder, attacks: Mapping[str, str] = ATTACKS) -> Defence:
    """Try every attack in one cell, with a neighbour beside it."""
    attacker, neighbour = [await host.open_session(order, {"plan.md": b"# Plan\n"}, {}) for _ in range(2)]
    try:
        outcome = await run(attacker, attempt(attacks, REPOSITORY, neighbour.workspace.folder))
    finally:
        for each in (attacker, neighbour):
            await each.close()
    return Defence(
        user=os.geteuid(),
        tried=len(attacks),
        not_denied=not_denied(outcome.observation.output),
    )


async def _main(folder: Path, order: SessionOrder) -> None:
    host = KernelHost(folder)
    await host.start()
    try:
        defence = await defend(host, order)
    finally:
        await host.stop()
    sys.stdout.write(defence.model_dump_json())


if __name__ == "__main__":
    given = SessionOrder.model_validate_json(Path(sys.argv[2]).read_text())
    asyncio.run(_main(Path(sys.argv[1]), given))
