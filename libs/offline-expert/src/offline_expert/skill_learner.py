"""The skill-learner's policy: a SKILL.md with each failure and its resolution."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import last_containing, value

_LESSON = re.compile(r"^### (?P<title>.+?)\n(?P<body>.*?)(?=^### |\Z)", re.DOTALL | re.MULTILINE)
_KIND = re.compile(r"\(`(?P<kind>[a-z_]+)`\)")
_CHANGE = re.compile(r"^~~~~diff$\n(?P<lines>.*?)^~~~~$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^- (?P<name>failed|resolved by): (?P<text>.+)$", re.MULTILINE)


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a SKILL.md for the lessons of a run."""
    task = last_containing(messages, "# Lessons")
    benchmark = value(task, "benchmark") or "benchmark"
    lessons = list(_LESSON.finditer(task))
    kinds = list(dict.fromkeys(kind["kind"] for each in lessons if (kind := _KIND.search(each["title"]))))
    return AIMessage("\n".join(_skill(benchmark, kinds, [each["body"] for each in lessons])))


def _skill(benchmark: str, kinds: Sequence[str], bodies: Sequence[str]) -> list[str]:
    topic = " and ".join(kind.replace("_", " ") for kind in kinds)
    return [
        "---",
        f"name: {_slug(' '.join([benchmark, *kinds]))}",
        f"description: What failed and then worked on {benchmark} ({topic}). Read it before a similar design.",
        "---",
        "",
        "## When to use",
        "",
        f"Before or while working on `{benchmark}` or a similar benchmark, when you meet: {topic}.",
        "",
        "## What went wrong",
        "",
        *(f"- {line}" for line in _field_texts(bodies, "failed")),
        "",
        "## What worked",
        "",
        *(f"- {line}" for line in _field_texts(bodies, "resolved by")),
        *(f"\nThe change that resolved it:\n\n~~~~diff\n{change}~~~~" for change in _changes(bodies)),
    ]


def _field_texts(bodies: Sequence[str], name: str) -> list[str]:
    """Return the texts of a field in all lessons, each once."""
    texts = [field["text"] for body in bodies for field in _FIELD.finditer(body) if field["name"] == name]
    return list(dict.fromkeys(texts))


def _changes(bodies: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(change["lines"] for body in bodies for change in _CHANGE.finditer(body)))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64].strip("-")
