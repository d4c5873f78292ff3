"""A mutation campaign: `./run mutation [--per-module 10] [--seed 0] [--half held-out] [--only TARGET]... [--named]`.

Changes the meaning of one place at a time in a private copy, runs the tests that cover it, and lists the changes that
no test noticed. Results are stored one by one: an interrupted campaign, started again, goes on behind them.
Half of all mutants are held out: tests are written for survivors of the other half, the share that counts is of these.
Exit code 1 if less than 90 % were caught.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from random import Random
from time import perf_counter

from tests.architecture.repository import git
from tests.mutation.named_mutants import NAMED_MUTANTS
from tests.mutation.operators import half_of, mutants
from tests.mutation.results import MutantResult, ResultFile, digest_of, report
from tests.mutation.targets import ROOT, TARGETS, Target
from tests.mutation.warm_tests import WarmTests
from tests.mutation.workspace import MutationWorkspace

LEAST_SHARE = 0.9
STATE = ROOT / ".millwright" / "mutation"


@dataclass(frozen=True)
class Change:
    """One mutant of a target."""

    target: str
    file: Path
    line: int
    change: str
    text: str
    name: str = ""

    @property
    def digest(self) -> str:
        """Of the changed file."""
        return digest_of(self.text)


def main() -> int:
    """Run the campaign and write its report."""
    arguments = _arguments()
    results = ResultFile(arguments.results)
    workspace = MutationWorkspace(ROOT, STATE / "copy")
    workspace.create()
    try:
        chosen = [target for target in TARGETS if not arguments.only or target.name in arguments.only]
        for tests, group in groupby(chosen, key=lambda target: target.tests):
            targets = list(group)
            changes = [change for target in targets for change in _changes(target, arguments)]
            pending = [change for change in changes if not results.has(change.target, change.digest)]
            if pending:
                files = [file for target in targets for file in target.files()]
                with workspace.warm_tests(tests, files).started() as warm:
                    for change in pending:
                        _try_change(workspace, warm, results, change)
    finally:
        workspace.remove()
    text = report(results.results, _heading(arguments))
    if arguments.report:
        arguments.report.write_text(text, encoding="utf-8")
    print(text)
    caught = sum(result.is_caught for result in results.results)
    return 0 if caught >= LEAST_SHARE * len(results.results) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Changes that no test notices.")
    parser.add_argument("--per-module", type=int, default=10, help="mutants per target, drawn by the seed; default: 10")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", choices=["both", "training", "held-out"], default="both", help="default: both")
    parser.add_argument("--only", action="append", choices=[target.name for target in TARGETS], help="default: all")
    parser.add_argument("--named", action="store_true", help="only the mutants that survived an earlier campaign")
    parser.add_argument("--results", type=Path, default=STATE / "results.jsonl", help="goes on behind what it contains")
    parser.add_argument("--report", type=Path, help="Markdown file")
    return parser.parse_args()


def _changes(target: Target, arguments: argparse.Namespace) -> list[Change]:
    """Return the named mutants of a target, and a sample of all others."""
    named = list(_named(target))
    if arguments.named:
        return named
    every = [
        Change(target.name, file, mutant.line, mutant.change, mutant.text)
        for file in target.files()
        for mutant in mutants(file.read_text(encoding="utf-8"))
        if arguments.half in ("both", half_of(str(file.relative_to(ROOT)), mutant))
    ]
    random = Random(f"{arguments.seed} {target.name}")
    return [*named, *random.sample(every, min(arguments.per_module, len(every)))]


def _named(target: Target) -> Iterator[Change]:
    for mutant in NAMED_MUTANTS:
        if mutant.target == target.name:
            source = (ROOT / mutant.file).read_text(encoding="utf-8")
            line = source[: source.find(mutant.before)].count("\n") + 1
            change = f"{mutant.before.strip()} -> {mutant.after.strip()}"
            yield Change(target.name, ROOT / mutant.file, line, change, mutant.applied(source), mutant.name)


def _try_change(workspace: MutationWorkspace, warm: WarmTests, results: ResultFile, change: Change) -> None:
    began = perf_counter()
    status = workspace.try_change(change.file, change.text, warm)
    seconds = round(perf_counter() - began, 1)
    file = str(change.file.relative_to(ROOT))
    result = MutantResult(
        target=change.target, file=file, line=change.line, change=change.change, digest=change.digest,
        status=status, seconds=seconds, name=change.name,
    )  # fmt: skip
    results.add(result)
    print(f"{change.target}: {status:<9}{seconds:>6.1f} s  {file}:{change.line}: {change.change}", flush=True)


def _heading(arguments: argparse.Namespace) -> list[str]:
    day = datetime.now(UTC).date().isoformat()
    return [
        f"- {day}, commit {git('rev-parse', '--short', 'HEAD')}",
        f"- `./run mutation --per-module {arguments.per_module} --seed {arguments.seed} --half {arguments.half}`",
    ]


if __name__ == "__main__":
    sys.exit(main())
