"""What the rule-based author makes of twenty texts: `./run perf benchmarks/texts [--seed 0]`.

Each goes through `millwright generate`: what it reads, and whether it publishes a benchmark or refuses, and why.
Exit code 1 if it publishes what it cannot express, refuses what it can, or does not end.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

MILLWRIGHT = Path(sys.executable).with_name("millwright")
LIMIT_S = 1200.0
EXPRESSIBLE = (
    "a marble must cross a ravine of 120 mm",
    "a ball rolls past a swinging gate",
    "get a ball of 30 mm over a wall of 90 mm, easy",
    "the ground is lava: bring the ball to a goal 400 mm away",
    "a windmill turns between the ball and its goal",
    "a ball on a shelf has to reach the goal",
    "pass a piston that moves back and forth",
    "a ball of 4 cm, a canyon 0.15 m wide, level 1",
    "a slalom round posts, difficult",
    "something simple",
)
BEYOND = (
    "hard: a ball finds its way between pillars and over a ditch",
    "lift a ball by 300 mm onto a table",
    "a steel ball must climb 300 mm and cross a gap of 200 mm",
    "push a cube through a door",
    "sort two balls into two cups",
    "a glass marble rolls over a bridge",
    "a ball of 90 mm crosses a gap",
    "a gap of 2 m for a marble",
    "a robot juggles three torches",
    "a ball crosses a gap within 4 s",
)
"""Each with at least one thing that the author cannot build."""


class _Outcome(NamedTuple):
    read: str
    word: str
    """`published`, `refused` or `failed`."""
    reason: str
    seconds: float


def main() -> int:
    """Print a row per text, and the counts."""
    parser = argparse.ArgumentParser(description="What the rule-based author makes of twenty texts.")
    parser.add_argument("--seed", type=int, default=0, help="number of the first benchmark")
    seed = parser.parse_args().seed
    print("| text | what it reads | outcome | reason | s |\n| --- | --- | --- | --- | ---: |", flush=True)
    wrong = 0
    for number, text in enumerate((*EXPRESSIBLE, *BEYOND), seed):
        found = _generate(text, number)
        wanted = "published" if text in EXPRESSIBLE else "refused"
        wrong += found.word != wanted
        word = found.word if found.word == wanted else f"**{found.word}**"
        print(f"| {text} | {found.read} | {word} | {found.reason} | {found.seconds:.0f} |", flush=True)
    print(f"\n{wrong} of {len(EXPRESSIBLE) + len(BEYOND)} texts end otherwise than they should.")
    return 1 if wrong else 0


def _generate(text: str, number: int) -> _Outcome:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [str(MILLWRIGHT), "generate", text, "--seed", str(number), "--out", folder]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        is_published = any(Path(folder).glob("*/benchmark.yaml"))
    seconds = time.monotonic() - began
    read = "; ".join(line.removeprefix("- ") for line in ended.stdout.splitlines() if line.startswith("- "))
    if ended.returncode == 0 and is_published:
        return _Outcome(read, "published", "", seconds)
    last = (ended.stderr.strip() or ended.stdout.strip()).splitlines()[-1].partition(": ")[2]
    return _Outcome(read, "refused" if "it does not build" in last else "failed", last, seconds)


if __name__ == "__main__":
    sys.exit(main())
