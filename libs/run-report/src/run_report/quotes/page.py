"""Quotes as one HTML page that opens from disk: tables, findings, and the parts in 3D with their places marked."""

import gzip
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.scene import Surface
from contracts.quotes import DrawnPart, FileQuote, FindingGroup, QuotedPart, QuoteReport, Way
from contracts.text import counted
from viewer.files import SCRIPT, STYLE, text_of

from run_report.page_shell import PageShell, own_text, page_templates
from run_report.quotes.text import ESTIMATES, MARKS, VERDICT_NAMES, cheapest_text, first_change, short_names, way_name

COLORS = ((0.35, 0.55, 0.78, 1.0), (0.45, 0.68, 0.45, 1.0), (0.62, 0.52, 0.75, 1.0), (0.70, 0.62, 0.52, 1.0))
TONES: dict[str, Literal["bad", "warn", "note"]] = {"error": "bad", "warning": "warn", "info": "note"}


class ShownBody(Model):
    """A part as the viewer draws it: the fields of a scene's body that it needs."""

    label: str
    origin: Literal["design"] = "design"
    surface: Surface
    color_rgba: tuple[float, float, float, float]


class ShownScene(Model):
    """The parts of a file as the viewer's scene."""

    bodies: tuple[ShownBody, ...]


class ShownMark(Model):
    """The place of a finding, by its number on the page."""

    number: int
    part: str
    place_mm: Vector
    tone: Literal["bad", "warn", "note"]


class ShownMarks(Model):
    """The viewer's marks of a file."""

    marks: tuple[ShownMark, ...] = ()


@dataclass(frozen=True)
class NumberedGroup:
    """Findings of one rule, with the number of their mark; None without a place."""

    group: FindingGroup
    number: int | None


@dataclass(frozen=True)
class WayChapter:
    """A way of a part and its findings."""

    way: Way
    groups: tuple[NumberedGroup, ...]


@dataclass(frozen=True)
class PartChapter:
    """A part with its ways."""

    part: QuotedPart
    ways: tuple[WayChapter, ...]


@dataclass(frozen=True)
class FileChapter:
    """Everything that the page has of one file."""

    file: FileQuote
    parts: tuple[PartChapter, ...]
    packed: str
    """Scene of the viewer; empty if nothing can be shown."""
    marks: ShownMarks


@cache
def page_shell() -> PageShell:
    """Return the scripts and style of the page, with its content security policy."""
    return PageShell.of([text_of(SCRIPT), own_text("quote.js")], [text_of(STYLE), own_text("quote.css")])


def report_page(report: QuoteReport, shown: Sequence[Sequence[DrawnPart]], leave_to: str = "") -> str:
    """Return the report as HTML; `shown` are the parts of each of its files that can be drawn.

    `leave_to` is the address at which another file can be sent.
    """
    return (
        page_templates()
        .get_template("quote.html")
        .render(
            shell=page_shell(),
            report=report,
            leave_to=leave_to,
            chapters=[_chapter(*each) for each in zip(report.files, shown, strict=True)],
            estimates=ESTIMATES,
            names=short_names(report),
            way_name=way_name,
            first_change=first_change,
            counted=counted,
            cheapest_text=cheapest_text,
            marks=MARKS,
            tones=TONES,
            verdicts=VERDICT_NAMES,
        )
    )


def _chapter(file: FileQuote, shown: Sequence[DrawnPart]) -> FileChapter:
    offsets = {each.name: each.offset_mm for each in shown}
    parts: list[PartChapter] = []
    marks: list[ShownMark] = []
    for part in file.parts:
        ways: list[WayChapter] = []
        for way in part.ways:
            groups: list[NumberedGroup] = []
            for group in way.findings:
                mark = _mark(len(marks) + 1, part.name, group, offsets)
                marks += [mark] if mark else []
                groups.append(NumberedGroup(group, mark.number if mark else None))
            ways.append(WayChapter(way, tuple(groups)))
        parts.append(PartChapter(part, tuple(ways)))
    return FileChapter(file, tuple(parts), _packed(shown), ShownMarks(marks=tuple(marks)))


def _mark(number: int, part: str, group: FindingGroup, offsets: dict[str, Vector]) -> ShownMark | None:
    place, offset = group.worst.place_mm, offsets.get(part)
    if place is None or offset is None:
        return None
    x, y, z = (here + moved for here, moved in zip(place, offset, strict=True))
    return ShownMark(number=number, part=part, place_mm=(x, y, z), tone=TONES[group.severity])


def _packed(shown: Sequence[DrawnPart]) -> str:
    if not shown:
        return ""
    bodies = [
        ShownBody(label=each.name, surface=each.surface, color_rgba=COLORS[number % len(COLORS)])
        for number, each in enumerate(shown)
    ]
    scene = ShownScene(bodies=tuple(bodies)).model_dump_json()
    return b64encode(gzip.compress(scene.encode(), mtime=0)).decode()
