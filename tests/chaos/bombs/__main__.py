"""STEP bombs through every door that takes files: `./run chaos bombs`.

Small files that unpack, nest or multiply to far more are given to `quote`, to a benchmark's environment and to a
design, where scripts import them. Each command must end within `--seconds`, with exit code 1 or 2 and without a
traceback of its own, and no process of it may use more than `--mib`. Prints seconds, memory and the answer; exit code 1
if one did otherwise.
"""

import argparse
import base64
import shutil
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.loader import SUITE

from tests.chaos.bombs.files import bombs
from tests.support.measurements import setting, table
from tests.support.processes import with_descendants

SUITE_BENCHMARK = "gravity-chute"
LOOK_S = 0.1
SHOWN_CHARS = 160
SCRIPT = """
import base64, zlib
from build123d import Compound, import_step

with open({name!r}, "wb") as file:
    file.write(zlib.decompress(base64.b85decode({packed!r})))
"""
ENVIRONMENT = """

def build(variant):
    return Compound(children=[import_step({name!r})])
"""
DESIGN = "assembly = Compound(children=[import_step({name!r})])\n"


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    code: int | None
    """None: it did not end in time."""
    seconds: float
    peak_mib: float
    """Of its largest process."""
    printed: str

    def is_right(self, most_mib: float) -> bool:
        """Return whether the file was refused within the limits."""
        return self.code in {1, 2} and self.peak_mib < most_mib and "Traceback" not in self.printed


def main() -> int:
    """Print a report in Markdown."""
    parser = argparse.ArgumentParser(description="STEP bombs through every door that takes files.")
    parser.add_argument("--seconds", type=float, default=900.0, help="of each command; a busy machine needs more")
    parser.add_argument("--mib", type=float, default=4096.0, help="of the largest process of a command")
    arguments = parser.parse_args()
    print(f"# STEP bombs\n\n{setting()}\n", flush=True)
    rows: list[tuple[str, ...]] = []
    wrong = 0
    with TemporaryDirectory() as folder:
        for name, data in bombs().items():
            for door, command in _doors(Path(folder), name, data).items():
                answer = _answer(command, Path(folder), arguments.seconds)
                wrong += not answer.is_right(arguments.mib)
                last = (answer.printed.strip().splitlines() or [""])[-1].replace("|", " ")[:SHOWN_CHARS]
                figures = (f"{answer.code}", f"{answer.seconds:.0f}", f"{answer.peak_mib:.0f}")
                rows.append((name, f"{len(data)}", door, *figures, last))
                print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(("file", "bytes", "door", "exit code", "s", "peak MiB", "answer"), rows))
    print(f"\n{len(rows)} answers, {wrong} wrong")
    return 1 if wrong else 0


def _doors(folder: Path, name: str, data: bytes) -> dict[str, tuple[str, ...]]:
    """Write the file for each door; return the commands that take it."""
    (folder / name).write_bytes(data)
    values = {"name": name, "packed": base64.b85encode(zlib.compress(data, 9)).decode()}
    design, benchmark = folder / f"{name}.py", folder / name.replace(".", "-")
    design.write_text((SCRIPT + DESIGN).format(**values))
    shutil.copytree(SUITE / SUITE_BENCHMARK, benchmark)
    (benchmark / "environment.py").write_text((SCRIPT + ENVIRONMENT).format(**values))
    return {
        "quote": ("quote", str(folder / name)),
        "check": ("check", str(benchmark), "--seeds", "0"),
        "try": ("try", SUITE_BENCHMARK, str(design)),
    }


def _answer(command: tuple[str, ...], folder: Path, most_s: float) -> Answer:
    began_s, peak_mib = time.monotonic(), 0.0
    with (folder / "printed").open("w+") as printed:
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", *command], cwd=folder, stdout=printed, stderr=subprocess.STDOUT
        )
        while process.poll() is None and time.monotonic() - began_s < most_s:
            peak_mib = max(peak_mib, *map(_mib, with_descendants([process.pid])), 0.0)
            time.sleep(LOOK_S)
        code = process.poll()
        if code is None:
            process.kill()
            process.wait()
        printed.seek(0)
        return Answer(code, time.monotonic() - began_s, peak_mib, printed.read())


def _mib(pid: int) -> float:
    """Return the most memory that a process had; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


if __name__ == "__main__":
    sys.exit(main())
