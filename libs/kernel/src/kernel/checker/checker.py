"""The first fence: code is read before it runs, and told all at once what is not allowed and what is.

It teaches; the sandbox protects. What slips through here meets a process without network, files and privileges.
"""

import ast
import gc
from collections.abc import Collection, Generator
from contextlib import contextmanager

from kernel.checker.syntax_reader import Reader
from kernel.checker.tables import ALLOWED_MODULES
from kernel.checker.violation import Violation


def violations(code: str, workspace_modules: Collection[str] = ()) -> tuple[Violation, ...]:
    """Return everything in the code that is not allowed, in the order of lines. Never raises."""
    try:
        with _without_collecting():
            reader = Reader(ast.parse(code), ALLOWED_MODULES | set(workspace_modules))
            reader.read()
    except SyntaxError as error:
        return (_unreadable(error.lineno or 1, error.offset or 1, error.msg),)
    except (ValueError, RecursionError, MemoryError) as error:
        return (_unreadable(1, 1, str(error) or type(error).__name__),)
    return tuple(sorted(reader.found, key=lambda each: (each.line, each.column)))


@contextmanager
def _without_collecting() -> Generator[None]:
    """A tree is many objects and no garbage: looking for some takes longer than reading the tree."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _unreadable(line: int, column: int, message: str) -> Violation:
    return Violation(rule="syntax", line=line, column=column, what=message, instead="mend the syntax")
