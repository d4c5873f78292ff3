"""What the certificates of a benchmark come to, and the tables of the suite."""

from collections.abc import Sequence
from typing import Self

from contracts.confidence import median_known
from contracts.model import Model
from contracts.settings import COMMAND
from contracts.text import one_line
from pydantic import NonNegativeInt
from rich.table import Table
from rich.text import Text

from cli.certification.records import WorldRecord
from cli.result_page import markdown_table

HARD_LEVEL, MOST_STRAIGHT = 3, 0.25
"""Of benchmarks of which one straight chute may solve this share of the worlds: zones that shrink open ways."""
COLUMNS = (
    "benchmark",
    "level",
    "worlds valid",
    "solved",
    "robust",
    "by doing nothing",
    "by a straight chute",
    "price",
    "mass",
    "certified",
)


class BenchmarkScore(Model):
    """The certificates of one benchmark, or of all: counts of worlds, and medians of the witness."""

    benchmark: str
    level: str
    worlds: NonNegativeInt
    valid: NonNegativeInt
    solved: NonNegativeInt
    robust: NonNegativeInt
    by_itself: NonNegativeInt
    by_baseline: NonNegativeInt
    unit_price_usd: float | None
    mass_kg: float | None
    faults: tuple[str, ...]

    @classmethod
    def of(cls, name: str, records: Sequence[WorldRecord]) -> Self:
        """Aggregate the records of one benchmark, or of all."""
        levels = sorted({record.level for record in records})
        return cls(
            benchmark=name,
            level=", ".join(map(str, levels)),
            worlds=len(records),
            valid=sum(record.is_valid for record in records),
            solved=sum(record.is_solved for record in records),
            robust=sum(record.is_robust for record in records),
            by_itself=sum(record.solves_itself for record in records),
            by_baseline=sum(record.is_solved_by_baseline for record in records),
            unit_price_usd=median_known(record.unit_price_usd for record in records),
            mass_kg=median_known(record.mass_kg for record in records),
            faults=tuple(fault for group in _by_benchmark(records).values() for fault in _faults_of(group)),
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """One row of the table."""
        return (
            self.benchmark,
            self.level,
            *(f"{count}/{self.worlds}" for count in (self.valid, self.solved, self.robust)),
            str(self.by_itself),
            f"{self.by_baseline}/{self.worlds}",
            "" if self.unit_price_usd is None else f"{self.unit_price_usd:.2f} USD",
            "" if self.mass_kg is None else f"{self.mass_kg:.3f} kg",
            "no" if self.faults else "yes",
        )


class SuiteScore(Model):
    """All certificates, with what they were made of."""

    date: str
    commit: str
    replicas: NonNegativeInt
    scores: tuple[BenchmarkScore, ...]
    total: BenchmarkScore
    records: tuple[WorldRecord, ...]

    @classmethod
    def of(cls, records: Sequence[WorldRecord], replicas: int, date: str, commit: str) -> Self:
        """Aggregate by benchmark, in the order of names."""
        scores = tuple(BenchmarkScore.of(name, group) for name, group in _by_benchmark(records).items())
        total = BenchmarkScore.of(f"all {len(scores)}", records)
        return cls(date=date, commit=commit, replicas=replicas, scores=scores, total=total, records=tuple(records))


def _by_benchmark(records: Sequence[WorldRecord]) -> dict[str, list[WorldRecord]]:
    groups: dict[str, list[WorldRecord]] = {}
    for record in sorted(records, key=lambda each: each.benchmark):
        groups.setdefault(record.benchmark, []).append(record)
    return groups


def _faults_of(records: Sequence[WorldRecord]) -> list[str]:
    """Return why worlds of a benchmark are not certified, and whether too many are easy although it is hard."""
    faults = [f"{record.benchmark}, {record.world}: {record.fault}" for record in records if record.fault]
    first, solved = records[0], sum(record.is_solved_by_baseline for record in records)
    if first.level >= HARD_LEVEL and solved > MOST_STRAIGHT * len(records):
        faults.append(
            f"{first.benchmark}: a straight chute solves {solved} of {len(records)} worlds, at level {first.level} at "
            f"most {MOST_STRAIGHT:.0%}: put something in its way"
        )
    return faults


def suite_table(suite: SuiteScore) -> Table:
    """Return the table for a terminal."""
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, no_wrap=True)
    for score in (*suite.scores, suite.total):
        table.add_row(*(Text(one_line(cell, 40)) for cell in score.cells))
    return table


def suite_markdown(suite: SuiteScore) -> str:
    """Return the table as a page, which is committed."""
    count = suite.total.worlds
    head = (
        "# Certificates of the built-in benchmarks\n\n"
        f"- {suite.date}, commit {suite.commit}\n"
        f"- `{COMMAND} benchmark certify suite`: {count} worlds, {suite.replicas} replicas each\n\n"
    )
    table = markdown_table(COLUMNS, [score.cells for score in (*suite.scores, suite.total)])
    faults = [f"- {one_line(fault, 300)}" for fault in suite.total.faults]
    listed = ["", "Not certified:", "", *faults] if faults else []
    return head + "\n".join([table, *listed]) + "\n"
