"""journal.md: what was tried, one entry after the other; what is written stays.

    # Journal

    ## J1: build the legs

    - Result: one floats
    - Reflection: it was measured from the wrong floor
    - Next step: lower it
    - Film: the ball stopped at 1.2 s
    - Frames: 3f2a, 9c01

Film and Frames stand there after a simulation only.
"""

import re
from typing import Self

from contracts.model import Model
from pydantic import PositiveInt, model_validator

from documents.problems import Problem, refuse, shown
from documents.reader import Line, lines_of, require_layout, titled
from documents.text import OneLine

TITLE = "# Journal"

_NAME = "journal.md"
_HEADING = re.compile(r"## J(?P<number>[1-9][0-9]{0,3}): (?P<intent>\S.*)")
_FIELD = re.compile(r"- (?P<name>[A-Z][a-z]*(?: [a-z]+)?): (?P<text>\S.*)")
_NEEDED = {"Result": "result", "Reflection": "reflection", "Next step": "next_step"}
_FIELDS = {**_NEEDED, "Film": "film", "Frames": "frames"}
_ORDER = ", ".join(f"`- {name}: …`" for name in _FIELDS)


class JournalEntry(Model):
    """What was wanted, what came of it, what that means and what is next; each on one line."""

    number: PositiveInt
    intent: OneLine
    result: OneLine
    reflection: OneLine
    next_step: OneLine
    film: OneLine | None = None
    """What a simulation's film shows, in words."""
    frames: OneLine | None = None
    """Ids of its key frames."""

    def markdown(self) -> str:
        """Write the entry."""
        told = dict(zip(_FIELDS, (self.result, self.reflection, self.next_step, self.film, self.frames), strict=True))
        lines = "\n".join(f"- {name}: {text}" for name, text in told.items() if text is not None)
        return f"## J{self.number}: {self.intent}\n\n{lines}\n"


class Journal(Model):
    """Entries J1, J2 and so on."""

    entries: tuple[JournalEntry, ...] = ()

    @model_validator(mode="after")
    def _counts_from_one(self) -> Self:
        if [entry.number for entry in self.entries] != list(range(1, len(self.entries) + 1)):
            raise ValueError("entries are numbered J1, J2 and so on")
        return self

    def markdown(self) -> str:
        """Write the journal."""
        return "\n".join([f"{TITLE}\n", *(entry.markdown() for entry in self.entries)])


def read_journal(text: str) -> Journal:
    """Return the journal; raise `DocumentError` with every line that is wrong."""
    problems: list[Problem] = []
    entries = _entries(titled(text, TITLE, problems), 1, problems)
    refuse(_NAME, problems)
    journal = Journal(entries=tuple(entries))
    require_layout(_NAME, text, journal.markdown())
    return journal


def read_addition(text: str) -> tuple[JournalEntry, ...]:
    """Return the entries of a journal or of its end, such as the part that a cell added; raise `DocumentError`."""
    problems: list[Problem] = []
    lines = lines_of(text.removeprefix(TITLE))
    first = next((int(match["number"]) for line in lines if (match := _HEADING.fullmatch(line.text))), 1)
    entries = _entries(lines, first, problems)
    refuse(_NAME, problems)
    return tuple(entries)


def _entries(lines: list[Line], first: int, problems: list[Problem]) -> list[JournalEntry]:
    """Return the entries, numbered from `first`."""
    blocks: list[list[Line]] = []
    for line in lines:
        if line.text.startswith("#"):
            blocks.append([line])
        elif line.text and blocks:
            blocks[-1].append(line)
        elif line.text:
            mend = "let each entry begin with `## J1: what was wanted`, numbered from J1"
            problems.append(Problem(line=line.number, reason=f"{shown(line.text)} stands in no entry", mend=mend))
    entries = [_entry(block, number, problems) for number, block in enumerate(blocks, start=first)]
    return [entry for entry in entries if entry is not None]


def check_change(before: Journal, after: Journal) -> None:
    """Raise `DocumentError` with every entry of `before` that `after` does not have as it was: a journal only grows."""
    problems: list[Problem] = []
    line = len(f"{TITLE}\n".split("\n"))
    for place, was in enumerate(before.entries):
        line += 1
        now = after.entries[place] if place < len(after.entries) else None
        if now is None:
            reason = f"entry J{was.number} was taken out: {shown(was.intent)}"
            problems.append(Problem(line=line, reason=reason, mend="put it back; a journal only grows"))
            continue
        if now != was:
            mend = f"leave it as it was and add an entry J{len(before.entries) + 1} that says what is true now"
            problems.append(Problem(line=line, reason=f"entry J{was.number} was changed", mend=mend))
        line += now.markdown().count("\n")
    refuse(_NAME, problems)


def _entry(block: list[Line], expected: int, problems: list[Problem]) -> JournalEntry | None:
    heading, *rest = block
    match = _HEADING.fullmatch(heading.text)
    if match is None:
        mend = f"write `## J{expected}: what was wanted`"
        problems.append(Problem(line=heading.number, reason=f"{shown(heading.text)} begins no entry", mend=mend))
    elif int(match["number"]) != expected:
        reason = f"J{match['number']} stands where J{expected} belongs"
        mend = "number the entries from J1, without gaps"
        problems.append(Problem(line=heading.number, reason=reason, mend=mend))
    fields = _fields(heading, rest, problems)
    if match is None or not all(field in fields for field in _NEEDED.values()):
        return None
    return JournalEntry(number=expected, intent=match["intent"], **fields)


def _fields(heading: Line, lines: list[Line], problems: list[Problem]) -> dict[str, str]:
    """Return what an entry says, by field."""
    found: dict[str, str] = {}
    for line in lines:
        match = _FIELD.fullmatch(line.text)
        name = match["name"] if match else ""
        if match is None or name not in _FIELDS:
            reason, mend = (
                f"{shown(line.text)} is no line of an entry",
                f"keep each on one line, in this order: {_ORDER}",
            )
        elif _FIELDS[name] in found:
            reason, mend = f"`{name}` stands twice", "join the two on one line"
        elif any(later in found for later in list(_FIELDS.values())[list(_FIELDS).index(name) :]):
            reason, mend = f"`{name}` comes too late", f"keep the order {_ORDER}"
        else:
            found[_FIELDS[name]] = match["text"]
            continue
        problems.append(Problem(line=line.number, reason=reason, mend=mend))
    for name, field in _NEEDED.items():
        if field not in found and not any(line.text.startswith(f"- {name}:") for line in lines):
            mend = f"add the line `- {name}: …` beneath it"
            problems.append(Problem(line=heading.number, reason=f"the entry has no {name}", mend=mend))
    return found
