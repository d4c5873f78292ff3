"""The operator's campaign: `./run chaos operator [--sequences 200] [--seed 0]`. Needs root: it mounts file systems.

Each sequence is a stack of its own, without roles, to which an operator does what a seed decides: work, move the data
folder, unmount its disk, fill it, flip bits of blobs and backups, back up, wipe, restore, update from an older commit,
meet a newer database. All that was acknowledged must be there in the end, or was named as lost, or was lost by an
explicit command (wipe, restore). Exit code 1 if anything is lost silently.

Each sequence that has ended is a line of `--record`; the same command goes on with those that have none, or have lost
something. Several may run beside each other with other seeds.
"""

import argparse
import asyncio
import logging
import sys
import time
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from tests.architecture.repository import ROOT
from tests.chaos.operator.older_version import OlderVersion
from tests.chaos.operator.record import Ended, append, commit, read, report
from tests.chaos.operator.sequence import Sequence
from tests.support.clusters.small_disk import can_mount

LENGTH = 4
"""Actions of a sequence."""
RECORD = ROOT / "perf/results/operator-campaign.jsonl"


def main() -> int:
    """Run the sequences that have not ended, then print what was lost in all of them."""
    parser = argparse.ArgumentParser(description="Does to stacks what operators do.")
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence; the others count on")
    parser.add_argument("--record", type=Path, default=RECORD, help="file with a line for each that has ended")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.sequences)
    home = Path(mkdtemp(prefix="millwright-operator-"))
    home.chmod(0o755)
    if not can_mount(home):
        print("run `./run chaos operator` as root: it mounts file systems", file=sys.stderr)
        return 2
    logging.basicConfig(filename=home / "services.log", level=logging.INFO)
    older = OlderVersion(home / "older")
    try:
        for seed in seeds:
            if (ended := read(arguments.record).get(seed)) is None or ended.silent:
                append(arguments.record, _run(home / str(seed), seed, older))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on\n", file=sys.stderr)
    done = [ended for seed, ended in sorted(read(arguments.record).items()) if seed in seeds]
    print(report(done, seeds))
    if any(each.silent for each in done):
        print(f"logs are in {home}", file=sys.stderr)
        return 1
    rmtree(home)
    return 0


def _run(home: Path, seed: int, older: OlderVersion) -> Ended:
    began_s = time.monotonic()
    home.mkdir()
    sequence = Sequence(home, seed, older, home.parent / "other")
    try:
        asyncio.run(sequence.run(sequence.choose(LENGTH)))
    except Exception as error:
        sequence.silent.append(f"ended by {error!r}")
        logging.exception("sequence %d", seed)
    took_s = round(time.monotonic() - began_s, 1)
    print(f"{seed}: {', '.join(sequence.actions)}; {took_s} s {sequence.silent or ''}", file=sys.stderr, flush=True)
    if not sequence.silent:
        rmtree(home)
    return Ended(
        seed=seed,
        commit=commit(),
        actions=tuple(sequence.actions),
        seconds=took_s,
        silent=tuple(sequence.silent),
        named=tuple(sequence.named),
    )


if __name__ == "__main__":
    sys.exit(main())
