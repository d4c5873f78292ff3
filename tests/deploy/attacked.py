"""All attacks on a kernel, and one text for pyright, in the container that runs this; prints what came of it."""

import asyncio
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from artifacts.port import reference
from cad_worker.hosting.host import KernelHost
from cad_worker.linting import pyright
from cad_worker.sandbox import landlock
from cad_worker.sessions.messages import SessionOrder

from tests.cad_worker.sandbox.attacks import ATTACKS, HARMLESS_OUTSIDE, attempt, not_denied
from tests.cad_worker.sandbox.trying import REPOSITORY, defend
from tests.cad_worker.worlds import ENVIRONMENT_CODE, assignment
from tests.deploy.verdict import Verdict

PATIENCE_S = 60.0
BROKEN = "from build123d import Box\n\nBox(1, 1, 1).wrong\n"


async def _main() -> Verdict:
    wanted = assignment(reference(ENVIRONMENT_CODE.encode(), "text/x-python"))
    host = KernelHost()
    await host.start()
    try:
        build = await host.build_environment(ENVIRONMENT_CODE, wanted.variant)
        assert build.files is not None, build.fault
        order = SessionOrder(assignment=wanted, environment=build.files.geometry)
        defence = await defend(host, order)
    finally:
        await host.stop()
    return Verdict(
        linux=platform.release(),
        landlock_abi=landlock.abi(),
        user=defence.user,
        tried=defence.tried,
        not_denied=defence.not_denied,
        unconfined=await asyncio.to_thread(_unconfined),
        linted=await _linted(),
    )


async def _linted() -> tuple[str, ...]:
    pyright.BUDGET_S = PATIENCE_S  # how fast it is, is measured elsewhere
    linter = pyright.Pyright()
    try:
        report = await linter.check("script.py", BROKEN, {})
    finally:
        await linter.stop()
    return (*(each.message for each in report.findings), *([report.note] if report.note else []))


def _unconfined() -> int:
    harmless = {name: ATTACKS[name] for name in HARMLESS_OUTSIDE}
    with tempfile.TemporaryDirectory() as folder:
        mine, other = Path(folder, "mine"), Path(folder, "other")
        for each in (mine, other):
            each.mkdir()
            (each / "script.py").write_text("pass\n")
        code = attempt(harmless, REPOSITORY, other)
        ran = subprocess.run((sys.executable, "-c", code), cwd=mine, capture_output=True, text=True, check=True)
    return list(not_denied(ran.stdout).values()).count("DONE")


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(_main()).model_dump_json())
