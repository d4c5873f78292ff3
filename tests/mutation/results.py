"""Results of a campaign: a file of lines, to which each mutant adds one, and the report made of it."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from contracts.model import Model

from tests.mutation.warm_tests import Status


class MutantResult(Model):
    """What became of one mutant."""

    target: str
    file: str
    line: int
    change: str
    digest: str
    """Of the file with the change."""
    status: Status
    seconds: float
    name: str = ""
    """Of a mutant that was named by hand."""

    @property
    def is_caught(self) -> bool:
        """Whether a test noticed it; a run that never ends is noticed, too."""
        return self.status != "survived"


def digest_of(text: str) -> str:
    """Return the digest of a changed file."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class ResultFile:
    """The results so far; a campaign that was interrupted goes on behind them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.results = [MutantResult.model_validate_json(line) for line in lines]

    def has(self, target: str, digest: str) -> bool:
        """Tell whether a mutant was tried before, of a file that has not changed since."""
        return any((each.target, each.digest) == (target, digest) for each in self.results)

    def add(self, result: MutantResult) -> None:
        """Store a result at once."""
        self.results.append(result)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(result.model_dump_json() + "\n")


def report(results: Iterable[MutantResult], heading: Iterable[str]) -> str:
    """Return the report as Markdown: a score per target, and every survivor."""
    known = list(results)
    survivors = sorted((each for each in known if not each.is_caught), key=lambda each: (each.file, each.line))
    targets = dict.fromkeys(result.target for result in known)
    lines = [
        *("# Mutation campaign", "", *heading, ""),
        _row("target", "mutants", "killed", "timeout", "survived", "score"),
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(_score_row(target, [result for result in known if result.target == target]) for target in targets),
        *(_score_row("all", known), "", "## Survivors", ""),
        *(_survivor(each) for each in survivors),
        *([] if survivors else ["None."]),
    ]
    return "\n".join([*lines, ""])


def _survivor(result: MutantResult) -> str:
    name = f" ({result.name})" if result.name else ""
    return f"- `{result.file}:{result.line}`: `{result.change}`{name}"


def _score_row(target: str, results: list[MutantResult]) -> str:
    def count(status: Literal["killed", "timeout", "survived"]) -> str:
        return str(sum(result.status == status for result in results))

    share = sum(result.is_caught for result in results) / len(results) if results else 0.0
    return _row(target, str(len(results)), count("killed"), count("timeout"), count("survived"), f"{share:.0%}")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
