"""The form of a summary of old steps: what is asked for, what must survive, and how a reply is checked."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from contracts.models.conversation import Message
from documents.drafts.markdown import split_sections

SECTIONS = ("State", "Facts", "Failed", "Open")
MAX_SUMMARY_CHARS = 6_000
"""The part of a summary that a prompt shows."""
PROMPT = """Your conversation is about to lose its oldest steps: they take more space than your prompts have. Sum up
what the work needs of them, so that your work can go on from your summary alone and repeats nothing. Write
exactly these four sections and nothing else:

## State

(what exists and how far it is: files, variables, the design, the last result)

## Facts

(what was measured or read, one item per line, each with its numbers and units)

## Failed

(what was tried and did not work, with the reason)

## Open

(what remains to be done, one item per line)

The summary must name each of these, as written here:

{kept}

The steps:

{messages}"""
MAX_KEPT = 16
"""Numbers, and names, that a summary must have."""
_KEPT = re.compile(r"as written here:\n\n(?P<kept>.*?)\n\nThe steps:$", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^- \[(?P<mark>[ x-])\] (?P<id>T\d+): (?P<text>[^\n]*)$", re.MULTILINE)
_SETTLED = re.compile(r"todo\.(?:check|drop)\(\\?[\"'](?P<id>T\d+)")
_PATH = re.compile(r'"path": ?"(?P<path>[^"]{1,80})"')
_NAME = re.compile(r"`([A-Za-z_][\w.-]{1,60})`")
_NUMBER = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?(?: of \d+| ?(?:mm|degrees|°|%|USD|kg|N m|N|MPa|rad/s|m/s|g|s)))(?![\w/])"
)
_ITEM_CHARS = 120
_HEADING_CHARS = 30


def kept_of(messages: Sequence[Message], journal_lines: Iterable[str]) -> tuple[str, ...]:
    """Return what of these messages must survive: open items, names of files and parts, and numbers.

    Of the numbers those of the journal come first, then those that the role itself wrote most often.
    """
    own = [message for message in messages if message.author == "assistant"]
    calls = [call.arguments_json for message in own for call in message.tool_calls]
    texts = [*journal_lines, *(message.text for message in own)]
    names = Counter(path for text in calls for path in _PATH.findall(text))
    names.update(name for text in texts for name in _NAME.findall(text))
    journal = "\n".join(journal_lines)
    numbers = Counter(number for text in texts for number in _NUMBER.findall(text))
    often = [number for number, count in numbers.most_common() if count > 1 or number in journal]
    of_journal = [number for number in often if number in journal]
    ordered = [*of_journal, *(number for number in often if number not in of_journal)]
    frequent = [name for name, _ in names.most_common(MAX_KEPT)]
    return (*_open_items(messages), *frequent, *ordered[:MAX_KEPT])


def _open_items(messages: Sequence[Message]) -> list[str]:
    """Return the items of the newest TODO list that nothing in the messages has settled."""
    open_items: dict[str, str] = {}
    for message in messages:
        written = "\n".join([message.text, *(call.arguments_json for call in message.tool_calls)])
        for item in _ITEM.finditer(written.replace("\\n", "\n")):
            if item["mark"] == " ":
                open_items[item["id"]] = f"{item['id']}: {item['text']}"[:_ITEM_CHARS]
            else:
                open_items.pop(item["id"], None)
        for settled in _SETTLED.finditer(written):
            open_items.pop(settled["id"], None)
    return list(open_items.values())


def summary_request(kept: Sequence[str], messages: str) -> str:
    """Return the request for a summary of messages, in which each of `kept` must survive."""
    listed = "\n".join(f"- {each}" for each in kept) or "- (nothing)"
    return PROMPT.format(kept=listed, messages=messages)


def checked_summary(request: str, reply: str) -> str:
    """Return the summary of a reply in the form that its request asks for, with all that must survive.

    What the reply leaves out is added to it. Of a reply without the form only that remains: it is not a summary.
    """
    match = _KEPT.search(request)
    if match is None:  # of a log that is older than the form
        return reply.strip()
    kept = [line.removeprefix("- ") for line in match["kept"].splitlines()]
    sections = split_sections(reply, {name.lower(): name for name in SECTIONS})
    has_form = {each.name for each in sections if each.text} == {*SECTIONS}
    text = "\n\n".join(f"## {each.name}\n\n{each.text}" for each in sections) if has_form else ""
    text = text[: MAX_SUMMARY_CHARS - len("\n- ".join(["", *kept])) - _HEADING_CHARS]
    missing = [each for each in kept if each != "(nothing)" and not _has(text, each)]
    added = "## Not to be forgotten\n\n" + "\n".join(f"- {each}" for each in missing) if missing else ""
    return "\n\n".join(filter(None, [added, text]))


def _has(text: str, kept: str) -> bool:
    """Tell whether a text has a name or number; of an open item, its id and words are compared."""
    flat = " ".join(text.replace("`", "").split())
    return re.search(rf"(?<![\w.]){re.escape(' '.join(kept.split()))}(?![\w])", flat) is not None
