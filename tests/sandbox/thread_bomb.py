"""Prints how many threads machine code in a child can start: `python -m tests.sandbox.thread_bomb FOLDER`."""

import asyncio
import sys
from pathlib import Path

from sandbox.host import SandboxHost

from tests.sandbox.test_evasion import NATIVE_THREAD_BOMB
from tests.sandbox.untrusted_code import PROGRAMS, RUN_CODE, Code


async def main() -> None:
    """Start a host, and let the bomb off in two children at once."""
    host = SandboxHost(PROGRAMS, Path(sys.argv[1]), parallel_jobs=2)
    await host.start()
    try:
        bomb = Code(text=NATIVE_THREAD_BOMB.replace("time.sleep(30)", "time.sleep(1)"))
        for each in await asyncio.gather(*(host.run_job(RUN_CODE, bomb) for _ in range(2))):
            sys.stdout.write(each.text)
    finally:
        await host.stop()


if __name__ == "__main__":
    asyncio.run(main())
