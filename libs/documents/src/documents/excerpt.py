"""Excerpts of printed text: without what it repeats, cut between lines, and never in the middle of a table."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from contracts.text import shortened

TAIL_SHARE = 0.6
"""Of an excerpt: the end of what a cell prints is mostly its result."""
MAX_TABLE_SHARE = 0.5
"""A longer table is cut between its rows; its header stays."""
_ITEM = "- "
_LEAST_REPEATED_CHARS = 60
"""Shorter repetitions stay: a note about them would be as long."""
_HEADER_LINES, _RULE = 2, "| ---"
_SAME_TABLE = "(the same table as above)"
_NOTE_CHARS = 60


class _Block(NamedTuple):
    """Lines that stay together."""

    text: str
    header: str = ""
    """Of the table that the block is a row of."""


def without_repetitions(text: str, known: str = "") -> str:
    """Return the text with each list item and each table once; `known` is text that is shown elsewhere, too."""
    items = {line for line in known.splitlines() if line.startswith(_ITEM)}
    tables = {_joined(lines) for is_table, lines in _runs(known) if is_table}
    kept: list[str] = []
    for is_table, lines in _runs(text):
        if is_table:
            table = _joined(lines)
            is_repeated = len(lines) > _HEADER_LINES and table in tables
            kept += [_SAME_TABLE] if is_repeated else lines
            tables.add(table)
        else:
            kept += _new_items(lines, items)
    return "\n".join(kept) + ("\n" if text.endswith("\n") else "")


def excerpt(text: str, max_chars: int) -> str:
    """Return the text, or its first and last lines within `max_chars`; a table stays whole or loses rows."""
    if len(text) <= max_chars:
        return text
    available = max_chars - _NOTE_CHARS
    blocks = list(_blocks(text, int(MAX_TABLE_SHARE * available)))
    tail = _fitting(blocks[::-1], int(TAIL_SHARE * available))[::-1]
    head = _fitting(blocks[: len(blocks) - len(tail)], available - _length(tail))
    tail = [
        *_fitting(blocks[len(head) : len(blocks) - len(tail)][::-1], available - _length(head) - _length(tail))[::-1],
        *tail,
    ]
    header = tail[0].header if tail else ""
    shown = [each.text for each in (*head, *tail)]
    missing = len(text) - sum(len(each) + 1 for each in shown)
    note = f"… ({missing} characters left out) …"
    lines = [*(each.text for each in head), note, *filter(None, [header]), *(each.text for each in tail)]
    if not shown:
        return shortened(text, available // 2, available // 2)
    return "\n".join(lines) + "\n"


def _length(blocks: Sequence[_Block]) -> int:
    return sum(len(each.text) + 1 for each in blocks)


def _fitting(blocks: Sequence[_Block], max_chars: int) -> list[_Block]:
    """Return as many of the first blocks as fit."""
    fitting: list[_Block] = []
    for block in blocks:
        max_chars -= len(block.text) + 1
        if max_chars < 0:
            break
        fitting.append(block)
    return fitting


def _blocks(text: str, max_table_chars: int) -> Iterator[_Block]:
    header = ""
    for is_table, lines in _runs(text):
        is_headed = len(lines) >= _HEADER_LINES and lines[1].startswith(_RULE)
        if is_table and is_headed and len(_joined(lines)) <= max_table_chars:
            yield _Block(_joined(lines))
        elif is_table:
            rows = lines  # of the same table, where the kept text lacks its middle
            if is_headed:
                header, rows = _joined(lines[:_HEADER_LINES]), lines[_HEADER_LINES:]
                yield _Block(header)
            yield from (_Block(shortened(row, max_table_chars), header) for row in rows)
        else:
            yield from (_Block(shortened(line, max_table_chars // 2, max_table_chars // 2)) for line in lines)


def _runs(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield runs of lines, and whether they are a table."""
    for is_table, lines in groupby(text.splitlines(), key=lambda line: line.startswith("|")):
        yield is_table, list(lines)


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _new_items(lines: Sequence[str], known: set[str]) -> Iterator[str]:
    """Yield the lines without list items that are known already, which are counted instead; and learn the new ones."""
    repeated: list[str] = []
    for line in lines:
        if line in known:
            repeated.append(line)
            continue
        yield from _counted(repeated)
        repeated = []
        if line.startswith(_ITEM):
            known.add(line)
        yield line
    yield from _counted(repeated)


def _counted(items: Sequence[str]) -> Sequence[str]:
    if len(_joined(items)) < _LEAST_REPEATED_CHARS:
        return items
    return [f"- ({len(items)} line{'s' if len(items) > 1 else ''} as above)"]
