"""The sequences of the operator's campaign that have ended, one line each, and their report."""

import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, Field

from tests.support.measurements import percentile, table


class Ended(BaseModel):
    """A sequence that has ended."""

    seed: int
    commit: str
    at: datetime = Field(default_factory=lambda: datetime.now(UTC).replace(microsecond=0))
    actions: tuple[str, ...]
    seconds: float
    silent: tuple[str, ...]
    named: tuple[str, ...]


def append(file: Path, ended: Ended) -> None:
    """Add a line, at once: several campaigns may write into the file."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{ended.model_dump_json()}\n")


def read(file: Path) -> dict[int, Ended]:
    """Return the last end of each sequence, by seed."""
    if not file.exists():
        return {}
    lines = (Ended.model_validate_json(line) for line in file.read_text("utf-8").splitlines())
    return {each.seed: each for each in lines}


def commit() -> str:
    """Return the commit that runs, with `-dirty` if files differ from it."""
    described = ("git", "describe", "--always", "--dirty", "--exclude=*")
    return subprocess.run(described, check=True, capture_output=True, text=True).stdout.strip()


def report(done: Sequence[Ended], seeds: range) -> str:
    """Return what was done and lost, in Markdown."""
    if not done:
        return "no sequence has ended"
    counts = Counter(action for each in done for action in each.actions)
    commits = Counter(each.commit for each in done)
    seconds = [each.seconds for each in done]
    silent = [f"- {each.seed}: {line}" for each in done for line in each.silent]
    days = f"{min(each.at for each in done):%Y-%m-%d} to {max(each.at for each in done):%Y-%m-%d}"
    return "\n".join(
        (
            "# The operator's campaign\n",
            f"{len(done)} of {len(seeds)} sequences from seed {seeds.start} on, {days}; commits: "
            + ", ".join(f"{name} ({times})" for name, times in commits.items()),
            "",
            table(("action", "times"), [(action, str(times)) for action, times in sorted(counts.items())]),
            "",
            f"{len(silent)} silent losses; {sum(len(each.named) for each in done)} named ones",
            f"a sequence took {percentile(seconds, 50):.1f} s (median), {max(seconds):.1f} s at most",
            *silent,
        )
    )
