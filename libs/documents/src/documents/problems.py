"""What is wrong with a document: all of it at once, so that one more try can mend it."""

from collections.abc import Sequence

from contracts.model import Model
from pydantic import PositiveInt

MAX_SHOWN = 20
"""Problems written out in a message; the first ones mostly cause the rest."""


class Problem(Model):
    """One thing that is wrong."""

    line: PositiveInt
    """1-based; of what is missing, the line where it should stand."""
    reason: str
    mend: str
    """What to write instead."""

    def __str__(self) -> str:
        """Say it in one line."""
        return f"line {self.line}: {self.reason}; {self.mend}"


class DocumentError(ValueError):
    """A document does not keep its form. `problems` has everything that is wrong, in the order of the lines."""

    def __init__(self, document: str, problems: Sequence[Problem]) -> None:
        """Name the document, such as `todo.md`, and what is wrong with it."""
        self.document = document
        self.problems = tuple(sorted(problems, key=lambda each: each.line))
        super().__init__(document, self.problems)

    def __str__(self) -> str:
        """Say each problem in a line of its own."""
        lines = [f"- {problem}" for problem in self.problems[:MAX_SHOWN]]
        if len(self.problems) > MAX_SHOWN:
            lines.append(f"- and {len(self.problems) - MAX_SHOWN} more")
        return "\n".join([f"{self.document} does not keep its form:", *lines])

    def __reduce__(self) -> tuple[type["DocumentError"], tuple[str, tuple[Problem, ...]]]:
        """Let it be copied and pickled with both of its arguments."""
        return type(self), (self.document, self.problems)


def refuse(document: str, problems: Sequence[Problem]) -> None:
    """Raise `DocumentError` if there is a problem."""
    if problems:
        raise DocumentError(document, problems)


def shown(line: str) -> str:
    """Return a line as a problem quotes it: not too much of it."""
    return f"`{line[:80]}…`" if len(line) > 80 else f"`{line}`"
