"""Drafts of journal.md: fields in any case, with bold, or over several lines."""

import re
from collections.abc import Mapping

from documents.drafts.lines import BULLET
from documents.drafts.markdown import joined, unwrapped
from documents.journal import TITLE

_HEADING = re.compile(
    r"#{1,6}[ \t]*(?:entry[ \t]*)?J?(?P<number>[1-9][0-9]{0,3})[ \t]*[:.)\u2013\u2014-][ \t]*(?P<intent>\S.*)",
    re.IGNORECASE,
)
_BARE = re.compile(r"#{1,6}[ \t]*(?:entry[ \t]*)?J?(?P<number>[1-9][0-9]{0,3})[:.]?[ \t]*", re.IGNORECASE)
_FIELD = re.compile(r"[*_]{0,2}(?P<label>[A-Za-z][A-Za-z _-]{2,20}?)[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*(?P<text>.*)")
_LABELS: Mapping[str, str] = {
    **dict.fromkeys(("intent", "goal", "purpose"), "Intent"),
    **dict.fromkeys(("result", "results", "outcome"), "Result"),
    **dict.fromkeys(("reflection", "reflections", "lesson", "learned"), "Reflection"),
    **dict.fromkeys(("next step", "next steps", "next"), "Next step"),
    "film": "Film",
    "frames": "Frames",
    "covers": "Covers",
}
_ORDER = ("Result", "Reflection", "Next step", "Film", "Frames", "Covers")


def canonical_journal(text: str) -> str:
    """Return journal.md in canonical form as far as its entries are clear, or the text as it is."""
    lines = unwrapped(text.replace("\r\n", "\n")).split("\n")
    filled = [line.strip() for line in lines if line.strip()]
    if not filled or not re.fullmatch(r"#{1,3}[ \t]*journal:?", filled[0], re.IGNORECASE):
        return text
    entries: list[list[str]] = []
    for line in filled[1:]:
        if line.startswith("#"):
            entries.append([line])
        elif entries:
            entries[-1].append(line)
        else:
            return text
    sections = [_entry(lines) for lines in entries]
    return text if None in sections else "\n".join([f"{TITLE}\n", *filter(None, sections)])


def _entry(lines: list[str]) -> str | None:
    """Return an entry in canonical form; None if it is not clear what belongs to which field."""
    fields: dict[str, str] = {}
    newest = ""
    for line in lines[1:]:
        plain = BULLET.sub("", line, count=1)
        match = _FIELD.fullmatch(plain)
        label = _LABELS.get(" ".join(re.split(r"[ _-]+", match["label"].lower()))) if match else None
        if match and label:
            if label in fields:
                return None
            fields[label], newest = match["text"].strip(), label
        elif newest and (line[0] != "-" or not match):
            fields[newest] = joined([fields[newest], plain])
        else:
            return None
    heading = _HEADING.fullmatch(lines[0])
    bare = _BARE.fullmatch(lines[0]) if not heading else None
    intent = fields.pop("Intent", "")
    if heading and not intent:
        title = f"## J{heading['number']}: {heading['intent'].replace('**', '')}"
    elif bare and intent:
        title = f"## J{bare['number']}: {intent}"
    else:
        return None
    body = [f"- {label}: {fields[label]}" for label in _ORDER if label in fields]
    return f"{title}\n\n" + "\n".join(body) + "\n"
