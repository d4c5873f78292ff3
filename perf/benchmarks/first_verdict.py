"""Time of the first verdict: `./run perf benchmarks/first_verdict`.

README's ramp in README's benchmark, by `millwright try` and by `judge()` of a new process, and by `judge()` again in
the same process. CPU time counts all processes; wall time depends on what else the machine does.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.measurements import setting, table
from tests.support.readme import first_benchmark, python_block

REPETITIONS = 3
JUDGE = """
import time
from pathlib import Path
from millwright import judge
for _ in range(3):
    began_s = time.monotonic()
    assert judge(Path("ramp.py"), "my-drop").is_solved
    print(time.monotonic() - began_s)
"""
TRY = ("-m", "cli", "try", "my-drop", "ramp.py")


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        first_benchmark(folder)
        (folder / "ramp.py").write_text(python_block("assembly = "), encoding="utf-8")
        print(f"# First verdict\n\n{setting(('mujoco', 'build123d'))}")
        print(f"- the least of {REPETITIONS}\n")
        commands = [_run(folder, *TRY, "--out", f"out/{number}") for number in range(REPETITIONS)]
        calls = [_run(folder, "-c", JUDGE) for _ in range(REPETITIONS)]
    warm_s = min(float(line) for _, _, output in calls for line in output.split()[1:])
    cold_s = min(float(output.split()[0]) for _, _, output in calls)
    rows = [
        ("`millwright try`: verdict, film and files", *_least(commands)),
        ("`judge()` thrice in a new process, imports included", *_least(calls)),
        ("the first `judge()` of a process", f"{cold_s:.1f}", ""),
        ("the next ones", f"{warm_s:.1f}", ""),
    ]
    print(table(("", "s", "CPU s"), rows))


def _run(folder: Path, *arguments: str) -> tuple[float, float, str]:
    """Return wall time, CPU time and output."""
    began_s, used_s = time.monotonic(), sum(os.times()[2:4])
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return time.monotonic() - began_s, sum(os.times()[2:4]) - used_s, done.stdout


def _least(runs: list[tuple[float, float, str]]) -> tuple[str, str]:
    return f"{min(wall for wall, _, _ in runs):.1f}", f"{min(cpu for _, cpu, _ in runs):.1f}"


if __name__ == "__main__":
    main()
