"""What people see. Text that others wrote reaches the screen only as `Text`, never as markup."""

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from cli.formatting import EventLine, Severity

MARKS: dict[Severity, tuple[str, str]] = {
    "good": ("✓", "green"),
    "bad": ("✗", "red"),
    "plain": ("•", "cyan"),
    "quiet": ("·", "dim"),
}


def screen() -> Console:
    """Return the console of answers; plain text when it is not a terminal."""
    return Console(highlight=False, markup=False, emoji=False)


def complaints() -> Console:
    """Return the console of errors."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def saying(console: Console) -> Callable[[str], None]:
    """Return how to print a line of ours whole, however narrow the terminal."""
    return lambda words: console.print(Text(words), soft_wrap=True)


def line(told: EventLine, role: str, at_s: float) -> Text:
    """Return one line of a run: seconds since its begin, whose thread, what happened."""
    mark, style = MARKS[told.severity]
    return Text.assemble((f"{at_s:6.1f} s  ", "dim"), (f"{role:<13} ", "dim"), (f"{mark} ", style), (told.text, style))
