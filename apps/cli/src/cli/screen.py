"""The terminal. Text of models and kernels is printed only as `Text`, never as markup."""

from collections.abc import Callable

from rich.console import Console
from rich.text import Text

from cli.formatting import EventLine, Severity

MARKS: dict[Severity, tuple[str, str]] = {
    "success": ("✓", "green"),
    "failure": ("✗", "red"),
    "info": ("•", "cyan"),
    "detail": ("·", "dim"),
}
"""A sign and a style."""


def output_console() -> Console:
    """Return the console for output; plain text when it is not a terminal."""
    return Console(highlight=False, markup=False, emoji=False)


def error_console() -> Console:
    """Return the console for errors."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def line_printer(console: Console) -> Callable[[str], None]:
    """Return a function that prints a line without wrapping, however narrow the terminal is."""
    return lambda line: console.print(Text(line), soft_wrap=True)


def run_line(line: EventLine, role: str, at_s: float) -> Text:
    """Return one line of a run: seconds since its beginning, role, event."""
    mark, style = MARKS[line.severity]
    return Text.assemble((f"{at_s:6.1f} s  ", "dim"), (f"{role:<13} ", "dim"), (f"{mark} ", style), (line.text, style))
