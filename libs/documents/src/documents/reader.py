"""How every document is read: lines with their numbers, sections, and at last to the letter."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from documents.problems import Problem, refuse, shown
from documents.text import STRANGE_BREAKS


@dataclass(frozen=True)
class Line:
    """A line and where it stands, from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class Section:
    """A `## Title` and the lines beneath it, up to the next."""

    title: str
    number: int
    """Of the heading's line."""
    lines: list[Line] = field(default_factory=list[Line])

    @property
    def filled(self) -> list[Line]:
        """The lines that say something."""
        return [line for line in self.lines if line.text]

    @property
    def prose(self) -> str:
        """What stands in it, as it stands there."""
        return "\n".join(line.text for line in self.lines).strip()


def lines_of(text: str) -> list[Line]:
    """Return the lines, without blanks at their ends, and without empty ones at the end."""
    return [
        Line(number, " ".join(line.rstrip().splitlines()))
        for number, line in enumerate(text.rstrip().split("\n"), start=1)
    ]


def titled(text: str, title: str, problems: list[Problem]) -> list[Line]:
    """Return what follows a document's first line, which must be its `# Title`."""
    for number, raw in enumerate(text.split("\n"), start=1):
        if any(each in raw for each in STRANGE_BREAKS):
            reason = "the line holds a carriage return or another strange line break"
            problems.append(Problem(line=number, reason=reason, mend="end lines with a plain line feed only"))
    first, *rest = lines_of(text)
    if first.text == title:
        return rest
    reason = f"the first line is {shown(first.text)}" if first.text else "the first line is empty"
    problems.append(Problem(line=1, reason=reason, mend=f"begin with the line `{title}`"))
    return rest if first.text.startswith("# ") else [first, *rest]


def sections_of(lines: Sequence[Line], titles: Sequence[str], problems: list[Problem]) -> dict[str, Section]:
    """Return the sections by title; they must be exactly these, in this order and each with content.

    A heading is one wherever it stands, also inside of a code fence.
    """
    found: list[Section] = []
    for line in lines:
        if line.text.startswith("## "):
            found.append(Section(line.text[3:].strip(), line.number))
        elif line.text.startswith("# "):
            mend = "use only the headings of the template, or `###` inside of a section"
            problems.append(Problem(line=line.number, reason=f"{shown(line.text)} is no section", mend=mend))
        elif found:
            found[-1].lines.append(line)
        elif line.text:
            mend = f"let `## {titles[0]}` be the first thing beneath the title"
            problems.append(Problem(line=line.number, reason=f"{shown(line.text)} stands in no section", mend=mend))
    _check_titles(found, titles, problems, lines[-1].number if lines else 1)
    return {section.title: section for section in reversed(found) if section.title in titles}


def _check_titles(found: list[Section], titles: Sequence[str], problems: list[Problem], end: int) -> None:
    order = ", ".join(f"`## {title}`" for title in titles)
    seen: list[str] = []
    for section in found:
        told = f"`## {section.title}`"
        if section.title not in titles:
            problems.append(Problem(line=section.number, reason=f"{told} is none of the sections", mend=f"use {order}"))
        elif section.title in seen:
            problems.append(Problem(line=section.number, reason=f"{told} stands twice", mend="join the two sections"))
        elif seen and titles.index(section.title) < titles.index(seen[-1]):
            reason = f"{told} stands after `## {seen[-1]}`"
            problems.append(Problem(line=section.number, reason=reason, mend=f"keep the order {order}"))
        elif not section.prose:
            problems.append(Problem(line=section.number, reason=f"{told} is empty", mend="say something beneath it"))
        if section.title in titles:
            seen.append(section.title)
    for missing in (title for title in titles if title not in seen):
        later = titles[titles.index(missing) :]
        line = next((each.number for each in found if each.title in later), end)
        problems.append(Problem(line=line, reason=f"`## {missing}` is missing", mend=f"write the sections {order}"))


def require_layout(document: str, text: str, markdown: str) -> None:
    """Raise `DocumentError` at the first line that is not to the letter what was read from it.

    So a document is what is written of it, and nothing in it is lost; only line breaks at its end are forgiven.
    """
    have, want = text.rstrip("\n").split("\n"), markdown.rstrip("\n").split("\n")
    for number, (mine, theirs) in enumerate(zip_longest(have, want), start=1):
        if mine != theirs:
            reason, mend = _difference(mine or "", theirs or "")
            refuse(document, [Problem(line=number, reason=reason, mend=mend)])


def _difference(mine: str, theirs: str) -> tuple[str, str]:
    """Return what is wrong with a line whose meaning was understood, and what to do."""
    if mine.rstrip() == theirs:
        return "the line has blanks at its end", "take them away"
    if not mine.strip():
        return "there is an empty line too many", "take it away"
    if not theirs:
        return f"{shown(mine)} follows without an empty line", "leave exactly one line empty before it"
    return f"the line is {shown(mine)}", f"write {shown(theirs)}"
