"""What models read after their assignments in recorded runs: `python -m tests.replay.observations` writes it out."""

import asyncio
import re
from collections import Counter
from pathlib import Path

from cli.role_replays import REPLAYED
from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Message

from tests.support.event_logs.recorded_run import names, read

FOLDER = Path(__file__).with_name("observations")
_FENCE = re.compile(r"^(~{3,}|`{3,})", re.MULTILINE)
_VIEW = re.compile(r"`[^`]+`, lines \d+ to \d+ of \d+:")
_IS_COUNT = re.compile(r"^- (and \d+ more|\(\d+ lines? as above)")
"""Such an item may repeat, each time for another list."""
_CELL = re.compile(r"(?<!\\)\|")


async def observations(name: str) -> list[str]:
    """Return each message to a role's model that follows its assignment, with role and author as its heading."""
    found: list[str] = []
    for event in (await read(name)).events:
        if isinstance(event, ModelCalled) and event.purpose == "act" and event.role in REPLAYED:
            found += [
                f"[{event.role}, {each.author}]\n{each.text}" for each in event.new_messages if _is_feedback(each)
            ]
    return found


def _is_feedback(message: Message) -> bool:
    """Return whether it answers a call or a cell: it is neither an assignment nor a file."""
    is_assignment = message.text.startswith(("# Assignment", "# Plan to review", "# Design to review"))
    return message.author != "system" and not is_assignment and not _VIEW.match(message.text)


def written(texts: list[str]) -> str:
    """Return the observations of a run as one text."""
    return "".join(f"{number:02d} {text.rstrip()}\n\n" for number, text in enumerate(texts, start=1))


def problems(text: str) -> list[str]:
    """Return what is wrong with the form of an observation: items that repeat, open fences, tables that are cut."""
    fences = _FENCE.findall(text)
    found = ["a fence is not closed"] if len(fences) % 2 else []
    lines = [line.strip() for line in text.splitlines()]
    items = Counter(line for line in lines if line.startswith("- ") and not _IS_COUNT.search(line))
    found += [f"twice: {line}" for line, count in items.items() if count > 1]
    return found + [f"a table is cut: {table[-1]}" for table in _tables(lines) if not _is_complete(table)]


def _tables(lines: list[str]) -> list[list[str]]:
    tables: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("|"):
            tables[-1].append(line)
        elif tables[-1]:
            tables.append([])
    return [table for table in tables if table]


def _is_complete(table: list[str]) -> bool:
    """Return whether it has a head and rows, all of one width."""
    widths = {len(_CELL.findall(line)) for line in table}
    return len(widths) == 1 and len(table) > 2 and set(table[1]) <= set("|- ")


async def _write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names():
        (FOLDER / f"{name}.md").write_text(written(await observations(name)), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write())
