"""Coverage of a journal entry: the tokens of its role's timeline and the simulations that it is about.

As a line of journal.md, which only the session writes: `- Covers: tokens 0 to 1210 of run 1a2b3c4d, simulation 1`.
"""

import re
from collections.abc import Iterable
from typing import Self
from uuid import UUID

from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from pydantic import NonNegativeInt, PositiveInt

_NUMBER = r"(?:0|[1-9][0-9]{0,8})"
_LINE = re.compile(
    rf"tokens (?P<first>{_NUMBER}) to (?P<end>{_NUMBER}) of run (?P<run>[0-9a-f]{{8}})"
    r"(?:, simulations? (?P<simulations>[0-9 ,to]+))?"
)
_RANGE = re.compile(r"(?P<first>[1-9][0-9]{0,4})(?: to (?P<last>[1-9][0-9]{0,4}))?")
_MAX_SIMULATIONS = 200_000
_RUN_CHARS = 8


class Coverage(Model):
    """What one entry covers."""

    run: str
    """The first 8 digits of the run's id: the journal of a continued run has entries of several."""
    from_token: NonNegativeInt
    to_token: NonNegativeInt
    simulations: tuple[PositiveInt, ...] = ()

    @classmethod
    def of(cls, added: JournalEntryAdded) -> Self:
        """Return the coverage of an entry that a role noted."""
        return cls(
            run=short_run(added.run_id),
            from_token=added.from_token,
            to_token=added.to_token,
            simulations=added.simulations,
        )

    def line(self) -> str:
        """Return the text after `- Covers: `."""
        tokens = f"tokens {self.from_token} to {self.to_token} of run {self.run}"
        return f"{tokens}, {simulations_text(self.simulations)}" if self.simulations else tokens


def short_run(run_id: UUID) -> str:
    """Return a run's id as journal.md has it."""
    return str(run_id)[:_RUN_CHARS]


def simulations_text(numbers: Iterable[int]) -> str:
    """Return these numbers as ranges: `simulation 2`, or `simulations 1, 3 to 5`."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in ranges]
    is_one = len(texts) == 1 and "to" not in texts[0]
    return f"{'simulation' if is_one else 'simulations'} {', '.join(texts)}"


def read_coverage(text: str) -> Coverage | None:
    """Return the coverage of a line's text; None if it does not have this form."""
    match = _LINE.fullmatch(text)
    if match is None:
        return None
    simulations = _read_ranges(match["simulations"]) if match["simulations"] else ()
    if simulations is None:
        return None
    return Coverage(
        run=match["run"], from_token=int(match["first"]), to_token=int(match["end"]), simulations=simulations
    )


def _read_ranges(text: str) -> tuple[int, ...] | None:
    numbers: list[int] = []
    for part in text.split(", "):
        match = _RANGE.fullmatch(part)
        if match is None:
            return None
        numbers += range(int(match["first"]), int(match["last"] or match["first"]) + 1)
        if len(numbers) > _MAX_SIMULATIONS:
            return None
    return tuple(numbers)
