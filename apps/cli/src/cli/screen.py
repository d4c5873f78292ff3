"""The terminal. Text of models and kernels is printed only as `Text`, never as markup."""

from collections.abc import Callable
from pathlib import Path

from contracts.event_line import EventLine, Severity
from local_stack.errors import UserError
from rich.console import Console
from rich.text import Text

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


def print_mark(console: Console, severity: Severity, text: str) -> None:
    """Print a line with its sign, without wrapping."""
    mark, style = MARKS[severity]
    console.print(Text.assemble((f"{mark} ", style), text), soft_wrap=True)


def write_picture(file: Path, draw: Callable[[], bytes]) -> None:
    """Write the PNG that a function returns; raise `UserError` if the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(draw())
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}; choose another with --picture") from error
