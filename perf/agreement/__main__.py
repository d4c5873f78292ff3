"""A second opinion on the judge: `./run perf agreement [--machines 110] [--replicas 4] [--resume] [--only WORD]...`.

Judges machines as usual, with half the time step, and with another solver and friction cone, each with the same jitter;
CalculiX solves the most stressed part that finite elements looked at, on the same mesh. Prints Markdown: a line per
machine, the verdicts that turned, and the differences. Results are written as they come; `--resume` goes on from them.
Exit code 1 if a verdict turned, or CalculiX differs by more than 0.5 %.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from cad_worker.host import KernelHost

from perf.agreement.machines import Candidate, Workshop, candidates
from perf.agreement.opinions import ALLOWED, Record, opinions_on
from perf.agreement.tables import heading, row, summary
from tests.support.measurements import setting


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(description="A second opinion on the judge.")
    parser.add_argument("--machines", type=int, default=110, help="that reach the simulation; drawn by the seed")
    parser.add_argument("--replicas", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--only", action="append", default=[], help="part of a machine's name; default: all")
    parser.add_argument("--resume", action="store_true", help="go on from the file of results")
    parser.add_argument("--file", type=Path, default=Path("out/agreement.jsonl"), help="of results, one machine a line")
    arguments = parser.parse_args()
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    if not arguments.resume:
        arguments.file.unlink(missing_ok=True)
    chosen = [each for each in candidates(arguments.seed) if _is_chosen(each, arguments.only)]
    print(f"# A second opinion\n\n{setting(('mujoco', 'numpy', 'scipy', 'netgen-mesher'))}")
    print(f"- {arguments.replicas} replicas, machines drawn with seed {arguments.seed}\n\n{heading()}", flush=True)
    records = asyncio.run(_judged(chosen, arguments.machines, arguments.replicas, arguments.file))
    print(f"\n{summary(records)}")
    differs = any(each.solid is not None and each.solid.agreement.most > ALLOWED for each in records)
    return 1 if differs or any(each.is_turned for each in records) else 0


def _is_chosen(candidate: Candidate, words: list[str]) -> bool:
    return not words or any(word in candidate.label for word in words)


async def _judged(chosen: list[Candidate], most: int, replicas: int, file: Path) -> list[Record]:
    """Return the records of so many machines, those that the file has first."""
    labels = {candidate.label for candidate in chosen}
    known = [record for record in _read(file) if record.label in labels]
    found = [record for record in known if record.opinions]
    print("".join(f"{row(record)}\n" for record in found), end="", flush=True)
    left = [candidate for candidate in chosen if candidate.label not in {record.label for record in known}]
    host = KernelHost()
    await host.start()
    try:
        workshop = Workshop(host)
        for candidate in left:
            if len(found) >= most:
                break
            machine = await workshop.machine(candidate)
            record = Record(label=candidate.label, opinions={}) if machine is None else opinions_on(machine, replicas)
            with file.open("a", encoding="utf-8") as lines:
                lines.write(record.model_dump_json() + "\n")
            if record.opinions:
                found.append(record)
                print(row(record), flush=True)
    finally:
        await host.stop()
    return found


def _read(file: Path) -> list[Record]:
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [Record.model_validate_json(line) for line in lines]


if __name__ == "__main__":
    sys.exit(main())
