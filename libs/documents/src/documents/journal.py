"""journal.md: attempts in the order they were made. A journal only grows.

    # Journal

    ## J1: build the legs

    - Result: one floats
    - Reflection: it was measured from the wrong floor
    - Next step: lower it
    - Film: the ball stopped at 1.2 s
    - Frames: 3f2a, 9c01
    - Covers: tokens 0 to 1210 of run 1a2b3c4d, simulation 1

Film and Frames follow a simulation only. Covers is written by the session, never by the agent.
"""

import re
from typing import Self

from contracts.model import Model
from pydantic import PositiveInt, model_validator

from documents.journal_coverage import Coverage, read_coverage
from documents.parser import Line, OneLine, ProblemList, numbered_lines, quoted, read_body, require_layout

TITLE = "# Journal"

_NAME = "journal.md"
_HEADING = re.compile(r"## J(?P<number>[1-9][0-9]{0,3}): (?P<intent>\S.*)")
_FIELD = re.compile(r"- (?P<label>[A-Z][a-z]*(?: [a-z]+)?): (?P<text>\S.*)")
_REQUIRED = {"Result": "result", "Reflection": "reflection", "Next step": "next_step"}
_FIELDS = {**_REQUIRED, "Film": "film", "Frames": "frames"}
_LABELS = list(_FIELDS)
_COVERS = "Covers"
_ORDER = ", ".join(f"`- {label}: …`" for label in _LABELS)


class JournalEntry(Model):
    """One attempt: intent, result, reflection and next step, each on one line."""

    number: PositiveInt
    intent: OneLine
    result: OneLine
    reflection: OneLine
    next_step: OneLine
    film: OneLine | None = None
    """What a simulation's film shows, in words."""
    frames: OneLine | None = None
    """Ids of its key frames."""
    covers: Coverage | None = None
    """Tokens and simulations that it is about; None until the session has added the line."""

    def markdown(self) -> str:
        """Return the entry's section."""
        texts = (self.result, self.reflection, self.next_step, self.film, self.frames)
        lines = [f"- {label}: {text}" for label, text in zip(_LABELS, texts, strict=True) if text is not None]
        if self.covers is not None:
            lines.append(f"- {_COVERS}: {self.covers.line()}")
        return f"## J{self.number}: {self.intent}\n\n" + "\n".join(lines) + "\n"


class Journal(Model):
    """Entries J1, J2 and so on."""

    entries: tuple[JournalEntry, ...] = ()

    @model_validator(mode="after")
    def _require_consecutive_numbers(self) -> Self:
        if [entry.number for entry in self.entries] != list(range(1, len(self.entries) + 1)):
            raise ValueError("entries are numbered J1, J2 and so on")
        return self

    def markdown(self) -> str:
        """Return journal.md."""
        return "\n".join([f"{TITLE}\n", *(entry.markdown() for entry in self.entries)])


def read_journal(text: str) -> Journal:
    """Return the journal of a journal.md in its exact layout; raise `DocumentError` with all problems."""
    problems = ProblemList(_NAME)
    entries = _read_entries(read_body(text, TITLE, problems), 1, problems)
    problems.raise_any()
    journal = Journal(entries=entries)
    require_layout(_NAME, text, journal.markdown())
    return journal


def read_addition(text: str) -> tuple[JournalEntry, ...]:
    """Return the entries of a journal or of its end, such as the part that a cell added; raise `DocumentError`."""
    problems = ProblemList(_NAME)
    lines = numbered_lines(text.removeprefix(TITLE))
    first = next((int(match["number"]) for line in lines if (match := _HEADING.fullmatch(line.text))), 1)
    entries = _read_entries(lines, first, problems)
    problems.raise_any()
    return entries


def _read_entries(lines: list[Line], first: int, problems: ProblemList) -> tuple[JournalEntry, ...]:
    """Return the entries that could be read, numbered from `first`."""
    blocks: list[list[Line]] = []
    for line in lines:
        if line.text.startswith("#"):
            blocks.append([line])
        elif line.text and blocks:
            blocks[-1].append(line)
        elif line.text:
            fix = "begin each entry with `## J1: what you intend`, numbered from J1"
            problems.add(line.number, f"{quoted(line.text)} is outside every entry", fix)
    entries = [_read_entry(block, number, problems) for number, block in enumerate(blocks, start=first)]
    return tuple(entry for entry in entries if entry is not None)


def check_change(before: Journal, after: Journal) -> None:
    """Raise `DocumentError` if `after` lacks or changes entries of `before`, or has new ones that claim a coverage."""
    problems = ProblemList(_NAME)
    line = len(f"{TITLE}\n".split("\n"))
    for index, old in enumerate(before.entries):
        line += 1
        if index >= len(after.entries):
            reason = f"entry J{old.number} was removed: {quoted(old.intent)}"
            problems.add(line, reason, "restore it; a journal only grows")
            continue
        new = after.entries[index]
        if new != old:
            fix = f"restore it and add an entry J{len(before.entries) + 1} with the correction"
            problems.add(line, f"entry J{old.number} was changed", fix)
        line += new.markdown().count("\n")
    for new in after.entries[len(before.entries) :]:
        if new.covers is not None:
            reason = f"the new entry J{new.number} has a line `- {_COVERS}: …`"
            problems.add(line + 1, reason, "leave the line out; the session adds it")
    problems.raise_any()


def _read_entry(block: list[Line], expected: int, problems: ProblemList) -> JournalEntry | None:
    heading, *rest = block
    match = _HEADING.fullmatch(heading.text)
    if match is None:
        reason = f"{quoted(heading.text)} is not the heading of an entry"
        problems.add(heading.number, reason, f"write `## J{expected}: what you intend`")
    elif int(match["number"]) != expected:
        reason = f"J{match['number']} is where J{expected} belongs"
        problems.add(heading.number, reason, "number the entries from J1, without gaps")
    covers = _read_covers(rest, problems)
    fields = _read_fields(heading, [line for line in rest if not _is_covers(line)], problems)
    if match is None or not all(field in fields for field in _REQUIRED.values()):
        return None
    return JournalEntry.model_validate({"number": expected, "intent": match["intent"], "covers": covers, **fields})


def _is_covers(line: Line) -> bool:
    return line.text.startswith(f"- {_COVERS}: ")


def _read_covers(lines: list[Line], problems: ProblemList) -> Coverage | None:
    """Return the coverage of an entry, which is its last line."""
    found = [line for line in lines if _is_covers(line)]
    if not found:
        return None
    coverage = read_coverage(found[0].text.removeprefix(f"- {_COVERS}: "))
    if coverage is None or found[0] is not lines[-1]:
        fix = "leave the line as the session wrote it, at the end of its entry"
        problems.add(found[0].number, f"{quoted(found[0].text)} is not the coverage of an entry", fix)
    return coverage


def _read_fields(heading: Line, lines: list[Line], problems: ProblemList) -> dict[str, str]:
    """Return the texts of an entry, by field."""
    found: dict[str, str] = {}
    for line in lines:
        match = _FIELD.fullmatch(line.text)
        label = match["label"] if match else ""
        if match is None or label not in _FIELDS:
            fix = f"write each field on one line, in this order: {_ORDER}"
            problems.add(line.number, f"{quoted(line.text)} is not a field of an entry", fix)
        elif _FIELDS[label] in found:
            problems.add(line.number, f"`{label}` occurs twice", "join the two on one line")
        elif any(_FIELDS[later] in found for later in _LABELS[_LABELS.index(label) :]):
            problems.add(line.number, f"`{label}` comes too late", f"keep the order {_ORDER}")
        else:
            found[_FIELDS[label]] = match["text"]
    for label, field in _REQUIRED.items():
        if field not in found and not any(line.text.startswith(f"- {label}:") for line in lines):
            problems.add(heading.number, f"the entry has no {label}", f"add the line `- {label}: …` beneath it")
    return found
