"""What the checker says."""

from collections.abc import Collection
from typing import Literal

from contracts.model import Model

Rule = Literal["syntax", "import", "builtin", "dunder", "frame", "private", "dynamic", "file-io", "protected"]
"""`syntax`: unreadable. `import`: a module that is not on the list, however it is reached. `builtin`: a function that
runs text, reads files or opens up a namespace. `dunder`, `frame`: the interpreter's own attributes. `private`: what a
library keeps to itself. `dynamic`: an attribute whose name nobody can read. `file-io`: a library's reading and writing
of files. `protected`: a name of the kernel, or a library's attribute, bound anew."""


class Violation(Model):
    """One thing that is not allowed."""

    rule: Rule
    line: int
    column: int
    """1-based."""
    what: str
    instead: str
    """The allowed way."""

    def __str__(self) -> str:
        """Return the violation in one line."""
        return f"line {self.line}, column {self.column}: {self.what} [{self.rule}]; instead: {self.instead}"


class RefusedCodeError(Exception):
    """Code that will not be run; the message lists every violation."""

    def __init__(self, violations: Collection[Violation], where: str = "the cell") -> None:
        super().__init__(f"{where} was not run:\n" + "\n".join(f"- {each}" for each in violations))
