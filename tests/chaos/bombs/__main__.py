"""STEP bombs through every door that takes files: `./run chaos bombs [--only FILE] [--door DOOR] [--seconds 900]`.

Each file goes through commands, API, pages, archives of benchmarks, MCP tools and cells of kernels. Each must be
answered within `--seconds`, without a traceback of the product or a server error, and no process may use more than
`--mib`. Prints seconds, memory and the answer; exit code 1 if one did otherwise.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from os import getpid
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos.bombs.doors import DOORS, Door, WrongAnswerError, opened_doors
from tests.chaos.bombs.files import BOMBS
from tests.support.measurements import setting, table
from tests.support.processes import with_descendants

LOOK_S = 0.1
SHOWN_CHARS = 140
RESET = "5"
"""Written into `clear_refs`, it lets the most memory that a process had count from then on."""


@dataclass(frozen=True)
class Answer:
    """How a door answered."""

    seconds: float
    peak_mib: float
    """Of the largest process."""
    text: str
    is_wrong: bool


def main() -> int:
    """Print a report in Markdown."""
    parser = argparse.ArgumentParser(description="STEP bombs through every door that takes files.")
    parser.add_argument("--seconds", type=float, default=900.0, help="of each answer; a busy machine needs more")
    parser.add_argument("--mib", type=float, default=4096.0, help="of the largest process")
    parser.add_argument("--only", action="append", choices=BOMBS, help="file names; default: all")
    parser.add_argument("--door", action="append", choices=DOORS, help="default: all")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)
    return asyncio.run(_measure(arguments))


async def _measure(arguments: argparse.Namespace) -> int:
    print(f"# STEP bombs: ./run chaos bombs\n\n{setting()}\n", flush=True)
    rows: list[tuple[str, ...]] = []
    wrong = 0
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with opened_doors(Path(folder)) as doors:
            for name in arguments.only or BOMBS:
                data = BOMBS[name]()
                for title in arguments.door or DOORS:
                    answer = await _answer(doors[title], name, data, arguments.seconds)
                    is_wrong = answer.is_wrong or answer.peak_mib > arguments.mib
                    wrong += is_wrong
                    figures = (f"{answer.seconds:.0f}", f"{answer.peak_mib:.0f}", "WRONG" if is_wrong else "")
                    line = " ".join(answer.text.replace("|", " ").split())[:SHOWN_CHARS]
                    rows.append((name, f"{len(data)}", title, *figures, line))
                    print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(("file", "bytes", "door", "s", "peak MiB", "", "answer"), rows))
    print(f"\n{len(rows)} answers, {wrong} wrong")
    return 1 if wrong else 0


async def _answer(door: Door, name: str, data: bytes, seconds: float) -> Answer:
    began_s, text, is_wrong = time.monotonic(), "", False
    async with _watched_memory() as peak_mib:
        try:
            async with asyncio.timeout(seconds):
                text = await door(name, data)
        except (TimeoutError, WrongAnswerError) as error:
            text, is_wrong = str(error) or f"no answer within {seconds:g} s", True
    return Answer(time.monotonic() - began_s, max(peak_mib), text, is_wrong)


@asynccontextmanager
async def _watched_memory() -> AsyncGenerator[list[float]]:
    """Yield the most memory that each process has had, at each look, until the block ends."""
    peak_mib = [0.0]

    async def look() -> None:
        while True:
            peak_mib.extend(await asyncio.to_thread(lambda: [_mib(each) for each in with_descendants([getpid()])]))
            await asyncio.sleep(LOOK_S)

    _count_from_now_on()
    looking = asyncio.create_task(look())
    yield peak_mib
    looking.cancel()


def _count_from_now_on() -> None:
    for each in with_descendants([getpid()]):
        with suppress(OSError):  # it has ended
            Path(f"/proc/{each}/clear_refs").write_text(RESET)


def _mib(pid: int) -> float:
    """Return the most memory that a process had; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


if __name__ == "__main__":
    sys.exit(main())
