"""Markdown tables and their numbers."""

from collections.abc import Iterable, Sequence


def number(value: float) -> str:
    """Return a number with at most three decimals and no trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def limit(value: float | None, unit: str) -> str:
    """Return a limit with its unit, or `none`."""
    return "none" if value is None else f"{number(value)} {unit}".strip()


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; `|` and line breaks inside cells are escaped."""
    lines = [_row(header), _row(["---"] * len(header))]
    return "\n".join([*lines, *(_row(row) for row in rows)])


def _row(cells: Sequence[str]) -> str:
    safe = (cell.replace("|", "\\|").replace("\r", " ").replace("\n", " ") for cell in cells)
    return "| " + " | ".join(safe) + " |"
