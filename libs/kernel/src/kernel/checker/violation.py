"""Violations of the checker's rules, and the error that refuses code because of them."""

from collections.abc import Collection
from typing import Literal

from contracts.model import Model

Rule = Literal["syntax", "import", "builtin", "dunder", "frame", "private", "dynamic", "file-io", "protected"]
"""`syntax`: cannot be parsed. `import`: a module that is not on the list, however it is reached. `builtin`: a function
that runs text, reads files or opens up a namespace. `dunder`, `frame`: the interpreter's own attributes. `private`: a
library's private attributes. `dynamic`: an attribute whose name is computed. `file-io`: reading and writing of files by
a library. `protected`: rebinding of a kernel's name or a library's attribute."""


class Violation(Model):
    """One thing that is not allowed."""

    rule: Rule
    line: int
    column: int
    """1-based."""
    what: str
    instead: str
    """The allowed alternative."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.what} [{self.rule}]; instead: {self.instead}"


class RefusedCodeError(Exception):
    """Code was not run because of the violations in the message."""

    def __init__(self, violations: Collection[Violation], where: str = "the cell") -> None:
        super().__init__(f"{where} was not run:\n" + "\n".join(f"- {violation}" for violation in violations))
