"""Lists and tables of a document's section, line by line."""

import re
from collections.abc import Sequence
from decimal import Decimal

from contracts.model import Model

from documents.problems import Problem, shown
from documents.reader import Line, Section
from documents.text import OneLine, Subject

_STAGE = re.compile(r"(?P<number>[0-9]{1,3})\. (?P<text>\S.*)")
_PAIR = re.compile(r"- (?P<name>[^:\s](?:[^:]*[^:\s])?): (?P<text>\S.*)")
_RULE = re.compile(r":?-+:?")
_FIGURE = re.compile(r"-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?")


class Risk(Model):
    """What may go wrong."""

    what: Subject
    against_it: OneLine
    """What is done about it."""


def risks_of(section: Section, problems: list[Problem]) -> tuple[Risk, ...]:
    """Return the items of a section of risks."""
    pairs = pairs_of(section, "- what may go wrong: what is done about it", problems)
    return tuple(Risk(what=what, against_it=against) for what, against in pairs)


def risks_markdown(risks: Sequence[Risk]) -> str:
    """Write a section of risks, without a line break at its end."""
    return "\n".join(f"- {risk.what}: {risk.against_it}" for risk in risks)


def stages_markdown(stages: Sequence[str]) -> str:
    """Write a numbered list, without a line break at its end."""
    return "\n".join(f"{number}. {stage}" for number, stage in enumerate(stages, start=1))


def figure(text: str) -> Decimal | None:
    """Return a number as it is written, to the digit, or None if it is none."""
    return Decimal(text) if _FIGURE.fullmatch(text) else None


def stages_of(lines: Sequence[Line], problems: list[Problem]) -> tuple[str, ...]:
    """Return the texts of a list that is numbered from 1."""
    found: list[str] = []
    for expected, line in enumerate(lines, start=1):
        match = _STAGE.fullmatch(line.text)
        if match is None:
            mend = f"write each stage on one line, as `{expected}. what happens`"
            problems.append(Problem(line=line.number, reason=f"{shown(line.text)} is no stage", mend=mend))
        elif match["number"] != str(expected):
            reason = f"stage {match['number']} stands where {expected} belongs"
            problems.append(Problem(line=line.number, reason=reason, mend="number the stages from 1, without gaps"))
        else:
            found.append(match["text"])
    return tuple(found)


def pairs_of(section: Section, form: str, problems: list[Problem]) -> tuple[tuple[str, str], ...]:
    """Return what stands before and after the first colon of each `- one: other`; `form` shows such a line."""
    found: list[tuple[str, str]] = []
    for line in section.filled:
        match = _PAIR.fullmatch(line.text)
        if match is None:
            reason = f"{shown(line.text)} is no item of `## {section.title}`"
            problems.append(Problem(line=line.number, reason=reason, mend=f"write each on one line, as `{form}`"))
        else:
            found.append((match["name"], match["text"]))
    return tuple(found)


def rows_of(section: Section, header: Sequence[str], problems: list[Problem]) -> list[tuple[Line, list[str]]]:
    """Return the rows of the only table in a section, each with its line; they have as many cells as the header."""
    wanted = table_markdown(header, []).split("\n")
    lines = section.filled
    for place, mend in enumerate(wanted):
        line = lines[place] if place < len(lines) else Line(section.number, "")
        if not _begins(_cells(line.text), header, is_rule=place == 1):
            reason = f"{shown(line.text)} is not line {place + 1} of the table of `## {section.title}`"
            problems.append(Problem(line=line.number, reason=reason, mend=f"write `{mend}`"))
            return []
    found = [(line, _cells(line.text)) for line in lines[2:]]
    for line, cells in found:
        if len(cells) != len(header):
            reason = f"{shown(line.text)} is no row of {len(header)} cells"
            problems.append(Problem(line=line.number, reason=reason, mend=f"write a row beneath `{wanted[0]}`"))
    if not found:
        mend = "write a row for each"
        problems.append(Problem(line=section.number, reason=f"the table of `## {section.title}` is empty", mend=mend))
    return [(line, cells) for line, cells in found if len(cells) == len(header)]


def table_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table, without a line break at its end."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


def _begins(cells: Sequence[str], header: Sequence[str], *, is_rule: bool) -> bool:
    if is_rule:
        return len(cells) == len(header) and all(_RULE.fullmatch(cell) for cell in cells)
    return [cell.lower() for cell in cells] == list(header)


def _cells(line: str) -> list[str]:
    """Return the cells of a row, or none if it is none."""
    if not (line.startswith("|") and line.endswith("|") and len(line) > 1):
        return []
    return [cell.strip() for cell in line[1:-1].split("|")]
