"""Drafts of plans: plan and TODO list as models write them, in the form that the strict parsers read.

Only the form changes. What would change the meaning stays as it is, so that the parser refuses it with its reason.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from documents.drafts.lines import BULLET, NUMBER, DraftLine, is_item, join_items, without_rules
from documents.drafts.markdown import Section, split_sections, unwrapped, without_decoration
from documents.drafts.table import canonical_table
from documents.drafts.todo import canonical_items

NAMES: Mapping[str, str] = {
    **dict.fromkeys(("idea", "the idea", "concept", "approach", "main idea", "design idea", "overall idea"), "Idea"),
    **dict.fromkeys(("parts", "part list", "parts list", "parts table", "bill of materials", "bom"), "Parts"),
    **dict.fromkeys(("motion", "movement", "motion plan", "motion and stages", "how it moves"), "Motion"),
    **dict.fromkeys(("risks", "risk", "risks and measures", "risks and mitigations", "risks mitigations"), "Risks"),
    **dict.fromkeys(("todo", "to do", "todos", "to dos", "todo list", "to do list", "tasks", "task list"), "TODO"),
}
_ORDER = ("Idea", "Parts", "Motion", "Risks")
_MOVED_BY = re.compile(
    r"(?:(?:the )?payload (?:is )?)?(?:moved|driven|powered) by[\s:\u2013\u2014-]*(?P<what>\S.*)", re.IGNORECASE
)
_LABEL = re.compile(r"(?:the )?(?:stages|steps|sequence|motion stages|phases)(?: of (?:the )?motion)?:?", re.IGNORECASE)
_STAGE = re.compile(
    r"(?:step|stage|phase)[ \t]*(?P<number>[0-9]{1,3})[ \t]*[:.)\u2013\u2014-][ \t]*(?P<text>\S.*)", re.IGNORECASE
)
_MAX_RISK_CHARS = 2_000
_MEASURE = re.compile(
    r"(?:risk:?[ \t]+)?(?P<risk>[^:]+?)[.;,]*[ \t]+(?:mitigation|measure|countermeasure|remedy|counter)s?:"
    r"[ \t]*(?P<measure>\S.*)",
    re.IGNORECASE,
)
_ARROW = re.compile(r"[ \t]*(?:->|=>|\u2192|\u21d2)[ \t]*|[ \t]+[\u2013\u2014-][ \t]+|[ \t]*\u2014[ \t]*")


class PlanDraft(NamedTuple):
    """A plan and its TODO list."""

    plan: list[DraftLine]
    todo: list[DraftLine] | None
    """None if there is no such list."""
    todo_line: int


def draft_of(text: str) -> PlanDraft:
    """Return the plan of a text, whose sections may have any heading and order; text before the first is left out."""
    found = split_sections(unwrapped(text), NAMES, others_end=False)
    plan: list[DraftLine] = []
    for name in _ORDER:
        for section in (each for each in found if each.name == name):
            plan += [DraftLine(section.number, f"## {name}"), *_body(section), DraftLine(section.number, "")]
    lists = [each for each in found if each.name == "TODO"]
    todo = [line for each in lists for line in canonical_items(each.lines)] if lists else None
    return PlanDraft(plan, todo, lists[0].number if lists else text.count("\n") + 1)


def _body(section: Section) -> list[DraftLine]:
    lines = without_rules(section.lines)
    match section.name:
        case "Parts":
            return canonical_table(lines)
        case "Motion":
            return _motion(lines)
        case "Risks":
            return [_risk(line) for line in join_items(lines)]
        case _:
            return lines


def _motion(lines: Sequence[DraftLine]) -> list[DraftLine]:
    items = [each for each in join_items(lines) if not _LABEL.fullmatch(without_decoration(each.text))]
    found: list[DraftLine] = []
    for line in items:
        plain = without_decoration(BULLET.sub("", line.text, count=1))
        moved = None if found else _MOVED_BY.fullmatch(plain)
        if moved is None:
            found.append(line)
        else:
            found += [DraftLine(line.number, f"Moved by: {moved['what']}"), DraftLine(line.number, "")]
    first = 2 if found and found[0].text.startswith("Moved by: ") else 0
    return [*found[:first], *_stages(found[first:])]


def _stages(lines: Sequence[DraftLine]) -> list[DraftLine]:
    """Return the stages as a numbered list. Numbers that were written stay, unless all are 1, as in lazy Markdown."""
    read = [_stage(line.text) for line in lines]
    numbers = [number for number, _ in read]
    is_lazy = len(numbers) > 1 and set(numbers) == {"1"}
    return [
        DraftLine(line.number, line.text if text is None else f"{place if is_lazy or not number else number}. {text}")
        for place, (line, (number, text)) in enumerate(zip(lines, read, strict=True), start=1)
    ]


def _stage(text: str) -> tuple[str, str | None]:
    """Return number and text of a stage; no number for a bullet, and no text for a line that is not a stage."""
    plain = text.replace("**", "")
    plain = BULLET.sub("", plain, count=1)
    if match := _STAGE.fullmatch(plain):
        return match["number"], match["text"]
    if match := NUMBER.match(plain):
        rest = plain[match.end() :]
        named = _STAGE.fullmatch(rest)
        return match["number"], named["text"] if named and named["number"] == match["number"] else rest
    return "", plain if is_item(text) else None


def _risk(line: DraftLine) -> DraftLine:
    plain = line.text.replace("**", "").replace("__", "")
    if not is_item(plain):
        return _risk_row(line)
    text = BULLET.sub("", plain, count=1)
    text = NUMBER.sub("", text, count=1) if BULLET.sub("", plain, count=1) == plain else text
    measure = _MEASURE.fullmatch(text) if len(text) < _MAX_RISK_CHARS else None
    if measure:
        return DraftLine(line.number, f"- {measure['risk'].strip()}: {measure['measure']}")
    if not re.search(r"\S:[ \t]", text):
        text = _ARROW.sub(": ", text, count=1)
    return DraftLine(line.number, f"- {text}")


def _risk_row(line: DraftLine) -> DraftLine:
    """Return a row of a table with risk and measure as an item; the table's head becomes empty."""
    cells = [cell.strip() for cell in line.text.strip("|").split("|")]
    if "|" not in line.text or len(cells) != 2:
        return line
    is_head = not cells[0].strip(":-") or cells[0].lower() in {"risk", "what may go wrong"}
    return DraftLine(line.number, "" if is_head else f"- {cells[0]}: {cells[1]}")
