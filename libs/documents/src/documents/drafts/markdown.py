"""Markdown as models write it: headings of any kind, decoration, fences, and a whole document inside a fence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

Style = Literal["hash", "bold", "plain"]

_FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>.*)$")
_MARKDOWN = frozenset({"markdown", "md"})
_HASHES = re.compile(r"#{1,6}(?=[^#]|$)[ \t]*")
_BOLD = re.compile(r"(?P<marks>\*\*|__)(?P<inner>[^*_\n]{1,80})(?P=marks)(?P<rest>.*)")
_NUMBERING = re.compile(r"\(?[0-9]{1,2}[.):][ \t]*")
_REMARK = re.compile(r"\([^()]{0,40}\)")
_RULE = re.compile(r"[ \t]*([-*_])([ \t]*\1){2,}[ \t]*")
_MAX_NAME_CHARS = 60
_STYLES: Sequence[Style] = ("hash", "bold", "plain")


class Heading(NamedTuple):
    """A line that names a section, and the text that follows the name on it."""

    name: str
    style: Style
    rest: str


class Section(NamedTuple):
    """The lines under a heading, up to the next one, each with its number from 1."""

    name: str
    number: int
    lines: list[tuple[int, str]]

    @property
    def text(self) -> str:
        """The section's text."""
        return "\n".join(line for _, line in self.lines).strip()


def fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after this line, or nothing; `fence` is the one open before it."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    marks = match["marks"]
    if not fence:
        return "" if marks[0] == "`" and "`" in match["info"] else marks
    closes = marks[0] == fence[0] and len(marks) >= len(fence) and not match["info"].strip()
    return "" if closes else fence


def fence_language(line: str) -> str | None:
    """Return the language that an opening fence names, in lower case, empty if none; None for another line."""
    match = _FENCE.match(line)
    if match is None:
        return None
    words = match["info"].strip("{}. \t").lower().split()
    return words[0].split(",")[0].strip("{}.") if words else ""


def is_rule(line: str) -> bool:
    """Return whether a line is a thematic break such as `---`."""
    return _RULE.fullmatch(line[:200]) is not None


def without_decoration(text: str) -> str:
    """Return a text without bold, backticks and the white space around it."""
    return text.replace("**", "").replace("`", "").strip()


def unwrapped(text: str) -> str:
    """Return a text whose first fence is Markdown without that fence: its lines become empty.

    Such a fence holds fences of its own, so that the fence that closes it is found by counting.
    """
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if _FENCE.match(line)), None)
    if first is None or fence_language(lines[first]) not in _MARKDOWN:
        return text
    depth, outer = 1, _marks(lines[first])
    for number in range(first + 1, len(lines)):
        marks = _marks(lines[number])
        if not marks or marks[0] != outer[0]:
            continue
        depth += 1 if fence_language(lines[number]) else -1
        if depth == 0:
            lines[number] = ""
            break
    lines[first] = ""
    return "\n".join(lines)


def split_sections(text: str, names: Mapping[str, str], *, others_end: bool = True) -> list[Section]:
    """Return the sections whose headings have one of these names, in lower case, with the names they stand for.

    Of several kinds of heading for one name the most visible counts, so that `Evidence: …` within a text does not end
    a section where `## Evidence` follows. Text before the first section is left out, and with `others_end` that under
    any other heading, too.
    """
    lines = text.split("\n")
    found = _headings(lines, names)
    best = {name: min(_STYLES.index(each.style) for each in found.values() if each and each.name == name)
            for name in {each.name for each in found.values() if each}}  # fmt: skip
    sections: list[Section] = []
    open_section: Section | None = None
    for number, line in enumerate(lines, start=1):
        heading = found.get(number)
        if heading and _STYLES.index(heading.style) == best[heading.name]:
            open_section = Section(heading.name, number, [(number, heading.rest)])
            sections.append(open_section)
        elif number in found and heading is None and others_end:
            open_section = None
        elif open_section is not None:
            open_section.lines.append((number, line))
    return sections


def _headings(lines: list[str], names: Mapping[str, str]) -> dict[int, Heading | None]:
    """Return the headings outside of fences by line, from 1; None for a `#` heading with another name.

    A line under a heading becomes empty.
    """
    found: dict[int, Heading | None] = {}
    fence = ""
    for number, line in enumerate(lines, start=1):
        was_open, fence = fence, fence_after(line, fence)
        if was_open or fence:
            continue
        heading = read_heading(line, names)
        underline = lines[number].strip() if number < len(lines) else ""
        if heading is None and len(underline) > 2 and not underline.strip("=-"):
            heading = read_heading(f"# {line}", names)
            lines[number] = "" if heading else lines[number]
        if heading is not None or _HASHES.match(line):
            found[number] = heading
    return found


def read_heading(line: str, names: Mapping[str, str]) -> Heading | None:
    """Return the heading that a line is: `## Name`, `**Name**`, or `Name: …`, in any case, with or without a number."""
    text = line.strip()
    hashes = _HASHES.match(text)
    text = text[hashes.end() :].strip("# \t") if hashes else text
    text = _undecorated_start(text, is_marked=bool(hashes))
    bold = _BOLD.match(text)
    style: Style = "hash" if hashes else "bold" if bold else "plain"
    if bold:
        inner = _undecorated_start(bold["inner"].strip(), is_marked=True)
        text = f"{inner.rstrip(': ')}:{bold['rest'].lstrip(' :')}" if bold["rest"].strip() or ":" in inner else inner
    name, colon, rest = text.partition(":")
    if style == "plain" and not colon:
        return None
    known = names.get(_plain_name(name)) or (names.get(_plain_name(text)) if hashes else None)
    return Heading(known, style, rest.strip()) if known else None


def _undecorated_start(text: str, *, is_marked: bool) -> str:
    """Return a text without numbering, and if it is a heading without signs, before its first word."""
    number = _NUMBERING.match(text)
    text = text[number.end() :] if number else text
    return re.sub(r"^[^\w*]+", "", text[:_MAX_NAME_CHARS]) + text[_MAX_NAME_CHARS:] if is_marked else text


def _plain_name(name: str) -> str:
    if len(name) > _MAX_NAME_CHARS:
        return ""
    words = re.sub(r"[\W_]+", " ", _REMARK.sub("", name).lower())
    return words.strip()


def _marks(line: str) -> str:
    match = _FENCE.match(line)
    return match["marks"] if match else ""


def joined(parts: Iterable[str]) -> str:
    """Return texts on one line, without the empty ones."""
    return " ".join(" ".join(part.split()) for part in parts if part.strip())
