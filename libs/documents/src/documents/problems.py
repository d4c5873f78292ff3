"""Problems of a malformed document, collected so that one more attempt can fix all of them."""

from collections.abc import Sequence

from contracts.model import Model
from pydantic import PositiveInt

MAX_LISTED = 20
"""Problems listed in a message; later ones are mostly consequences of the first."""
_QUOTED_CHARS = 80


class Problem(Model):
    """One thing that is wrong with a document."""

    line: PositiveInt
    """1-based; for missing text, the line where it belongs."""
    reason: str
    fix: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}; {self.fix}"


class DocumentError(ValueError):
    """A document or its change is invalid. `problems` lists everything that is wrong, in the order of the lines."""

    def __init__(self, document: str, problems: Sequence[Problem]) -> None:
        """`document` is its name, such as `todo.md`."""
        self.document = document
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__(document, self.problems)

    def __str__(self) -> str:
        lines = [f"- {problem}" for problem in self.problems[:MAX_LISTED]]
        if len(self.problems) > MAX_LISTED:
            lines.append(f"- and {len(self.problems) - MAX_LISTED} more")
        return "\n".join([f"{self.document} is invalid:", *lines])

    def __reduce__(self) -> tuple[type["DocumentError"], tuple[str, tuple[Problem, ...]]]:
        """Let copies and pickles keep both arguments."""
        return type(self), (self.document, self.problems)


class ProblemList:
    """Collects the problems of one document."""

    def __init__(self, document: str) -> None:
        """`document` is its name, such as `todo.md`."""
        self._document = document
        self._found: list[Problem] = []

    def add(self, line: int, reason: str, fix: str) -> None:
        """Add a problem at a line, counted from 1."""
        self._found.append(Problem(line=line, reason=reason, fix=fix))

    def raise_any(self) -> None:
        """Raise `DocumentError` if there are problems."""
        if self._found:
            raise DocumentError(self._document, self._found)


def quoted(line: str) -> str:
    """Return a line in backticks, shortened, as problems quote it."""
    return f"`{line[:_QUOTED_CHARS]}…`" if len(line) > _QUOTED_CHARS else f"`{line}`"
