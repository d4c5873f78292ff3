"""Pages of results in Markdown, which are committed: when and of which commit they were made, and tables."""

import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.loader import SUITE
from local_stack.errors import UserError


def today() -> str:
    """Return the date in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def commit_of_checkout() -> str:
    """Return the commit of the checkout; `unknown` where the package is installed without one."""
    git = shutil.which("git")
    if git is None:
        return "unknown"
    asked = subprocess.run(
        [git, "-C", str(SUITE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or "unknown"


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first column is aligned to the left, and the others, figures, to the right."""
    rule = ("---", *("---:" for _ in columns[1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, rule, *rows))


def write_page(file: Path, text: str) -> None:
    """Write a page and the folders above it; raise `UserError` if that is impossible."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}; choose another file") from error
