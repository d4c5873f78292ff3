"""The skill-learner's rules: each failure beside what resolved it, under a name one can find again."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import last_containing, value

_LESSON = re.compile(r"^### (?P<title>.+?)\n(?P<body>.*?)(?=^### |\Z)", re.DOTALL | re.MULTILINE)
_KIND = re.compile(r"\(`(?P<kind>[a-z_]+)`\)")
_CHANGE = re.compile(r"^~~~~diff$\n(?P<lines>.*?)^~~~~$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^- (?P<name>failed|resolved by): (?P<text>.+)$", re.MULTILINE)


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a SKILL.md that says what failed and what resolved it."""
    shown = last_containing(messages, "# Lessons")
    benchmark = value(shown, "benchmark") or "benchmark"
    lessons = list(_LESSON.finditer(shown))
    kinds = list(dict.fromkeys(kind["kind"] for each in lessons if (kind := _KIND.search(each["title"]))))
    return AIMessage("\n".join(_skill(benchmark, kinds, [each["body"] for each in lessons])))


def _skill(benchmark: str, kinds: Sequence[str], bodies: Sequence[str]) -> list[str]:
    topic = " and ".join(kind.replace("_", " ") for kind in kinds)
    name = _slug(" ".join([benchmark, *kinds]))
    went_wrong, worked = _told(bodies, "failed"), _told(bodies, "resolved by")
    return [
        "---",
        f"name: {name}",
        f"description: What failed and then worked on {benchmark} ({topic}). Read it before a similar design.",
        "---",
        "",
        "## When to use",
        "",
        f"Before or while working on `{benchmark}` or a benchmark like it, when you meet: {topic}.",
        "",
        "## What went wrong",
        "",
        *(f"- {line}" for line in went_wrong),
        "",
        "## What worked",
        "",
        *(f"- {line}" for line in worked),
        *(f"\nThe change that did it:\n\n~~~~diff\n{change}~~~~" for change in _changes(bodies)),
    ]


def _told(bodies: Sequence[str], name: str) -> list[str]:
    told = [field["text"] for body in bodies for field in _FIELD.finditer(body) if field["name"] == name]
    return list(dict.fromkeys(told))


def _changes(bodies: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(change["lines"] for body in bodies for change in _CHANGE.finditer(body)))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64].strip("-")
