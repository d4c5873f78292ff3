"""The operator's campaign: `./run chaos operator [--sequences 200] [--seed 0]`. Needs root: it mounts file systems.

Each sequence is a stack of its own, without roles, to which an operator does what a seed decides: work, move the data
folder, unmount its disk, fill it, flip bits of blobs and backups, back up, wipe, restore, update from an older commit,
meet a newer database. All that was acknowledged must be there in the end, or was named as lost, or was lost by an
explicit command (wipe, restore). Exit code 1 if anything is lost silently.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections import Counter
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from tests.chaos.operator.older_version import OlderVersion
from tests.chaos.operator.sequence import Sequence
from tests.support.clusters.small_disk import can_mount
from tests.support.measurements import percentile, setting, table

LENGTH = 4
"""Actions of a sequence."""


def main() -> int:
    """Run the sequences, then print what was lost."""
    parser = argparse.ArgumentParser(description="Does to stacks what operators do.")
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence; the others count on")
    arguments = parser.parse_args()
    home = Path(mkdtemp(prefix="millwright-operator-"))
    home.chmod(0o755)
    if not can_mount(home):
        print("run `./run chaos operator` as root: it mounts file systems", file=sys.stderr)
        return 2
    logging.basicConfig(filename=home / "services.log", level=logging.INFO)
    print(f"# The operator's campaign\n\n{setting()}\n- {arguments.sequences} sequences, seed {arguments.seed}\n")
    older = OlderVersion(home / "older")
    done: list[tuple[Sequence, float]] = []
    try:
        numbers = range(arguments.sequences)
        done.extend(_run(home / str(number), arguments.seed + number, older) for number in numbers)
    except KeyboardInterrupt:
        print(f"interrupted after {len(done)} sequences\n")
    _print_report([each for each, _ in done], [seconds for _, seconds in done])
    if any(each.silent for each, _ in done):
        print(f"logs are in {home}", file=sys.stderr)
        return 1
    rmtree(home)
    return 0


def _run(home: Path, seed: int, older: OlderVersion) -> tuple[Sequence, float]:
    began_s = time.monotonic()
    home.mkdir()
    sequence = Sequence(home, seed, older)
    try:
        asyncio.run(sequence.run(sequence.choose(LENGTH)))
    except Exception as error:
        sequence.silent.append(f"ended by {error!r}")
        logging.exception("sequence %d", seed)
    took_s = time.monotonic() - began_s
    print(f"{seed}: {', '.join(sequence.actions)}; {took_s:.1f} s {sequence.silent or ''}", file=sys.stderr, flush=True)
    if not sequence.silent:
        rmtree(home)
    return sequence, took_s


def _print_report(done: list[Sequence], seconds: list[float]) -> None:
    counts = Counter(action for each in done for action in each.actions)
    print(table(("action", "times"), [(action, str(times)) for action, times in sorted(counts.items())]))
    silent = [line for each in done for line in each.silent]
    print(f"\n{len(silent)} silent losses; {sum(len(each.named) for each in done)} named ones")
    print(f"a sequence took {percentile(seconds, 50):.1f} s (median), {max(seconds):.1f} s at most")
    for line in silent:
        print(f"- {line}")


if __name__ == "__main__":
    sys.exit(main())
