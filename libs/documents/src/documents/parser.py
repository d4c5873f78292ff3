"""Parser of documents: numbered lines, `##` sections, lists and tables, validated texts, and the exact layout.

A parser collects all problems of a document, each with its line and fix.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import zip_longest
from typing import Annotated

from contracts.model import Model
from pydantic import AfterValidator, PositiveInt

from documents.markdown import table

_STAGE = re.compile(r"(?P<number>[0-9]{1,3})\. (?P<text>\S.*)")
_PAIR = re.compile(r"- (?P<subject>[^:\s](?:[^:]*[^:\s])?): (?P<text>\S.*)")
_RULE = re.compile(r":?-+:?")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?")


UNUSUAL_LINE_BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters that only some programs treat as line breaks; documents must not contain them."""


MAX_LISTED = 20
"""Problems listed in a message; later ones are mostly consequences of the first."""
MAX_PROBLEMS = 100
"""Collected: reading ends with the last of them, since a file may have a problem in each of its many lines."""
_QUOTED_CHARS = 80


class Problem(Model):
    """One thing that is wrong with a document."""

    line: PositiveInt
    """1-based; for missing text, the line where it belongs."""
    reason: str
    fix: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}; {self.fix}"


class DocumentError(ValueError):
    """A document or its change is invalid. `problems` lists what is wrong, up to `MAX_PROBLEMS`, in order of lines."""

    def __init__(self, document: str, problems: Sequence[Problem]) -> None:
        """`document` is its name, such as `todo.md`."""
        self.document = document
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__(document, self.problems)

    def __str__(self) -> str:
        lines = [f"- {problem}" for problem in self.problems[:MAX_LISTED]]
        if len(self.problems) > MAX_LISTED:
            at_least = "at least " if len(self.problems) >= MAX_PROBLEMS else ""
            lines.append(f"- and {at_least}{len(self.problems) - MAX_LISTED} more")
        return "\n".join([f"{self.document} is invalid:", *lines])

    def __reduce__(self) -> tuple[type["DocumentError"], tuple[str, tuple[Problem, ...]]]:
        """Let copies and pickles keep both arguments."""
        return type(self), (self.document, self.problems)


class ProblemList:
    """Collects the problems of one document."""

    def __init__(self, document: str) -> None:
        """`document` is its name, such as `todo.md`."""
        self._document = document
        self._found: list[Problem] = []

    def add(self, line: int, reason: str, fix: str) -> None:
        """Add a problem at a line, counted from 1; raise `DocumentError` when there are too many to go on."""
        self._found.append(Problem(line=line, reason=reason, fix=fix))
        if len(self._found) >= MAX_PROBLEMS:
            self.raise_any()

    def raise_any(self) -> None:
        """Raise `DocumentError` if there are problems."""
        if self._found:
            raise DocumentError(self._document, self._found)


def quoted(line: str) -> str:
    """Return a line in backticks, shortened, as problems quote it."""
    return f"`{line[:_QUOTED_CHARS]}…`" if len(line) > _QUOTED_CHARS else f"`{line}`"


def _one_line(text: str) -> str:
    if text != text.strip() or len(text.splitlines()) != 1:
        raise ValueError("must be a single non-empty line without surrounding white space")
    return text


def _prose(text: str) -> str:
    if not text or text != text.strip() or any(character in text for character in UNUSUAL_LINE_BREAKS):
        raise ValueError("must not be empty, have surrounding white space or line breaks other than \\n")
    if any(line.startswith(("# ", "## ")) or line != line.rstrip() for line in text.split("\n")):
        raise ValueError("must not contain headings of the first or second level, or lines ending in white space")
    return text


def _cell(text: str) -> str:
    if "|" in _one_line(text):
        raise ValueError("must not contain `|`, which ends a table cell")
    return text


def _subject(text: str) -> str:
    if ":" in _one_line(text):
        raise ValueError("must not contain a colon, which ends the subject")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]
Prose = Annotated[str, AfterValidator(_prose)]
"""Markdown of one or more paragraphs, without headings of the first two levels."""
CellText = Annotated[str, AfterValidator(_cell)]
Subject = Annotated[str, AfterValidator(_subject)]
"""Text before the colon of a list item."""


@dataclass(frozen=True)
class Line:
    """A line with its number, from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class DocumentSection:
    """A `## Title` and the lines beneath it, up to the next one."""

    title: str
    number: int
    """Line of the heading."""
    lines: list[Line] = field(default_factory=list[Line])

    @property
    def filled(self) -> list[Line]:
        """The lines that are not empty."""
        return [line for line in self.lines if line.text]

    @property
    def prose(self) -> str:
        """The section's text."""
        return "\n".join(line.text for line in self.lines).strip()


def numbered_lines(text: str) -> list[Line]:
    """Return the lines without trailing white space."""
    return [
        Line(number, " ".join(line.rstrip().splitlines()))
        for number, line in enumerate(text.rstrip().split("\n"), start=1)
    ]


def read_body(text: str, title: str, problems: ProblemList) -> list[Line]:
    """Return the lines after the first one, which must be the document's `# Title`; trailing white space is cut."""
    for number, raw in enumerate(text.split("\n"), start=1):
        if any(character in raw for character in UNUSUAL_LINE_BREAKS):
            reason = "the line contains a carriage return or another unusual line break"
            problems.add(number, reason, "end lines with a plain line feed only")
    first, *rest = numbered_lines(text)
    if first.text == title:
        return rest
    reason = f"the first line is {quoted(first.text)}" if first.text else "the first line is empty"
    problems.add(1, reason, f"begin with the line `{title}`")
    return rest if first.text.startswith("# ") else [first, *rest]


def read_sections(lines: Sequence[Line], titles: Sequence[str], problems: ProblemList) -> dict[str, DocumentSection]:
    """Return the sections by title; they must have exactly these titles, in this order, and content.

    A heading inside a code fence counts as a heading, too.
    """
    found: list[DocumentSection] = []
    for line in lines:
        if line.text.startswith("## "):
            found.append(DocumentSection(line.text[3:].strip(), line.number))
        elif line.text.startswith("# "):
            fix = "use only the headings of the template, or `###` inside a section"
            problems.add(line.number, f"{quoted(line.text)} is not a section heading", fix)
        elif found:
            found[-1].lines.append(line)
        elif line.text:
            fix = f"let `## {titles[0]}` follow the title directly"
            problems.add(line.number, f"{quoted(line.text)} is outside every section", fix)
    _check_titles(found, titles, problems, lines[-1].number if lines else 1)
    return {section.title: section for section in reversed(found) if section.title in titles}


def _check_titles(found: list[DocumentSection], titles: Sequence[str], problems: ProblemList, end: int) -> None:
    order = ", ".join(f"`## {title}`" for title in titles)
    seen: list[str] = []
    for section in found:
        heading = f"`## {section.title}`"
        if section.title not in titles:
            problems.add(section.number, f"{heading} is not one of the sections", f"use {order}")
        elif section.title in seen:
            problems.add(section.number, f"{heading} occurs twice", "join the two sections")
        elif seen and titles.index(section.title) < titles.index(seen[-1]):
            problems.add(section.number, f"{heading} comes after `## {seen[-1]}`", f"keep the order {order}")
        elif not section.prose:
            problems.add(section.number, f"{heading} is empty", "write its content beneath it")
        if section.title in titles:
            seen.append(section.title)
    for missing in (title for title in titles if title not in seen):
        later = titles[titles.index(missing) :]
        line = next((section.number for section in found if section.title in later), end)
        problems.add(line, f"`## {missing}` is missing", f"write the sections {order}")


def require_layout(document: str, text: str, written: str) -> None:
    """Raise `DocumentError` at the first line that differs from `written`, the document as its model writes it.

    A document thus contains nothing that reading it would lose; only line breaks at its end are ignored.
    """
    problems = ProblemList(document)
    actual, expected = text.rstrip("\n").split("\n"), written.rstrip("\n").split("\n")
    for number, (line, canonical) in enumerate(zip_longest(actual, expected), start=1):
        if line != canonical:
            problems.add(number, *_difference(line or "", canonical or ""))
            problems.raise_any()


def _difference(line: str, canonical: str) -> tuple[str, str]:
    """Return reason and fix for a line that was understood but is laid out differently."""
    if line.rstrip() == canonical:
        return "the line ends in white space", "remove it"
    if not line.strip():
        return "there is a superfluous empty line", "remove it"
    if not canonical:
        return f"{quoted(line)} follows without an empty line", "leave exactly one empty line before it"
    return f"the line is {quoted(line)}", f"write {quoted(canonical)}"


def parse_number(text: str) -> Decimal | None:
    """Return a plain decimal number with all its digits, or None if the text is not one."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def read_stages(lines: Sequence[Line], problems: ProblemList) -> tuple[str, ...]:
    """Return the texts of a list numbered from 1."""
    found: list[str] = []
    for expected, line in enumerate(lines, start=1):
        match = _STAGE.fullmatch(line.text)
        if match is None:
            fix = f"write each stage on one line, as `{expected}. what happens`"
            problems.add(line.number, f"{quoted(line.text)} is not a stage", fix)
        elif match["number"] != str(expected):
            reason = f"stage {match['number']} is where {expected} belongs"
            problems.add(line.number, reason, "number the stages from 1, without gaps")
        else:
            found.append(match["text"])
    return tuple(found)


def read_pairs(section: DocumentSection, form: str, problems: ProblemList) -> tuple[tuple[str, str], ...]:
    """Return subject and text of each line `- subject: text`; `form` is the example shown in problems."""
    found: list[tuple[str, str]] = []
    for line in section.filled:
        match = _PAIR.fullmatch(line.text)
        if match is None:
            reason = f"{quoted(line.text)} is not an item of `## {section.title}`"
            problems.add(line.number, reason, f"write each on one line, as `{form}`")
        else:
            found.append((match["subject"], match["text"]))
    return tuple(found)


def read_rows(section: DocumentSection, header: Sequence[str], problems: ProblemList) -> list[tuple[Line, list[str]]]:
    """Return the rows of a section's only table, each with its line and as many cells as the header."""
    expected = table(header, []).split("\n")
    lines = section.filled
    for index, canonical in enumerate(expected):
        line = lines[index] if index < len(lines) else Line(section.number, "")
        if not _is_head(_cells(line.text), header, is_rule=index == 1):
            reason = f"{quoted(line.text)} is not line {index + 1} of the table of `## {section.title}`"
            problems.add(line.number, reason, f"write `{canonical}`")
            return []
    rows = [(line, _cells(line.text)) for line in lines[2:]]
    for line, cells in rows:
        if len(cells) != len(header):
            reason = f"{quoted(line.text)} is not a row of {len(header)} cells"
            problems.add(line.number, reason, f"write a row beneath `{expected[0]}`")
    if not rows:
        problems.add(section.number, f"the table of `## {section.title}` is empty", "write at least one row")
    return [(line, cells) for line, cells in rows if len(cells) == len(header)]


def _is_head(cells: Sequence[str], header: Sequence[str], *, is_rule: bool) -> bool:
    if is_rule:
        return len(cells) == len(header) and all(_RULE.fullmatch(cell) for cell in cells)
    return [cell.lower() for cell in cells] == list(header)


def _cells(line: str) -> list[str]:
    """Return the cells of a table row, or an empty list for another line."""
    if not (line.startswith("|") and line.endswith("|") and len(line) > 1):
        return []
    return [cell.strip() for cell in line[1:-1].split("|")]
