"""The skill-learner's policy: it reads the costliest lessons, and proposes what failed and what worked."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import last_containing, value

MOST_LESSONS = 3
_LESSON = re.compile(
    r"^- (?P<kind>[a-z_]+) of the (?P<role>[a-z-]+) \((?P<times>\d+) times, (?P<steps>\d+) steps; "
    r"events (?P<events>[0-9a-f, ]+)\): (?P<failed>.+?) → (?:resolved by: (?P<fix>.*)|nothing resolved it)$",
    re.MULTILINE,
)
_REFUSED_TEXT = re.compile(r"'(?P<text>[^']{8,})'")
_SEED_NUMBERS = re.compile(r"seed: (?P<list>.+?)\. Write")
_ADDED = re.compile(r"After:\n\n(?P<fence>~{4,})\w*\n(?P<text>.*?)\n(?P=fence)", re.DOTALL)
_WRITTEN = re.compile(r"was written:\n\n(?P<fence>~{4,})\w*\n(?P<text>.*?)\n(?P=fence)", re.DOTALL)
_CODE = re.compile(r"^Cell [0-9a-f]+: .*?\n\n(?P<fence>~{4,})python\n(?P<text>.*?)\n(?P=fence)", re.DOTALL)
_MAX_CODE_LINES = 12


class SeenLesson(NamedTuple):
    """A lesson as the task lists it."""

    kind: str
    role: str
    cost: tuple[int, int]
    events: list[str]
    failed: str
    fix: str


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Read what proves the costliest lessons, then propose; leave out what is refused, and end if nothing is left."""
    task = last_containing(messages, "# A run to learn from")
    lessons = _costliest(task)
    answers = [message.text for message in messages if message.type == "tool"]
    if not answers:
        return _calls([("read_cell", {"event": event}) for lesson in lessons for event in lesson.events[-1:]])
    refusals = [text for text in answers if text.startswith("Not accepted")]
    proposal = _proposal(value(task, "benchmark") or "benchmark", lessons, answers, refusals)
    proposal["skill"] = value(task, "skill to change") or proposal["skill"]
    if len(refusals) > MOST_LESSONS or not proposal["claims"]:
        return _calls([("done", {"reason": "nothing could be proven"})])
    return _calls([("propose_change", proposal)])


def _costliest(task: str) -> list[SeenLesson]:
    found = [
        SeenLesson(
            each["kind"],
            each["role"],
            (int(each["times"]), int(each["steps"])),
            each["events"].split(", "),
            each["failed"],
            each["fix"] or "",
        )
        for each in _LESSON.finditer(task)
    ]
    role = max(found, key=lambda lesson: lesson.cost).role if found else ""
    own = [lesson for lesson in found if lesson.role == role]
    return sorted(own, key=lambda lesson: lesson.cost, reverse=True)[:MOST_LESSONS]


def _proposal(
    benchmark: str, lessons: Sequence[SeenLesson], answers: Sequence[str], refusals: Sequence[str]
) -> dict[str, Any]:
    """Return the arguments of a change: a claim for each lesson, without what was refused."""
    topic = " and ".join(dict.fromkeys(lesson.kind.replace("_", " ") for lesson in lessons))
    claims = [each for lesson in lessons for each in _claims(lesson) if not _is_refused(each["text"], refusals)]
    code = [] if refusals else [text for text in map(_worked, answers) if text]
    lines = [
        "## When to use",
        "",
        f"Before or while working on `{benchmark}` or a similar benchmark, when you meet: {topic}.",
        "",
        "## What failed, and what worked",
        "",
        *(f"- {claim['text']}" for claim in claims),
        *(f"\nWhat worked:\n\n~~~~python\n{text}\n~~~~" for text in dict.fromkeys(code)),
    ]
    return {
        "skill": _slug(" ".join([benchmark, *dict.fromkeys(lesson.kind for lesson in lessons)])),
        "for_role": lessons[0].role,
        "description": f"What failed and then worked on {benchmark} ({topic}). Read it before a similar design.",
        "edits": [{"old_text": "", "new_text": "\n".join(lines)}],
        "claims": claims,
    }


def _claims(lesson: SeenLesson) -> list[dict[str, str]]:
    failed = {"text": f"failed: {lesson.failed}", "evidence": lesson.events[0]}
    if not lesson.fix:
        return [failed]
    return [failed, {"text": f"worked: {lesson.fix}", "evidence": lesson.events[-1]}]


def _worked(answer: str) -> str:
    """Return the text of an edit, a write or a cell that worked, if it is short."""
    found = _ADDED.search(answer) or _WRITTEN.search(answer) or _CODE.search(answer)
    text = found["text"].strip() if found else ""
    return text if len(text.splitlines()) <= _MAX_CODE_LINES else ""


def _is_refused(text: str, refusals: Sequence[str]) -> bool:
    """Tell whether a claim has a number of the seed, or was named otherwise."""
    for refusal in refusals:
        numbers = _SEED_NUMBERS.search(refusal)
        written = re.findall(r"(-?\d+(?:\.\d+)?) \(", numbers["list"]) if numbers else []
        if any(number in text for number in written) or any(
            each["text"] in text for each in _REFUSED_TEXT.finditer(refusal)
        ):
            return True
    return False


def _calls(calls: Sequence[tuple[str, dict[str, Any]]]) -> AIMessage:
    return AIMessage(
        "",
        tool_calls=[
            {"id": f"{name}-{number}", "name": name, "args": args} for number, (name, args) in enumerate(calls)
        ],
    )


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64].strip("-")
