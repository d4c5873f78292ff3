"""Cells: runs an agent's code in one lasting namespace, as a notebook does."""

import ast
import builtins
import linecache
import random
import sys
import traceback
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Annotated, Self

import numpy
from contracts.model import Model
from contracts.models.observation import CellError, Variable
from contracts.text import shortened, storable
from pydantic import Field, NonNegativeInt

from kernel.checker.checker import violations
from kernel.checker.rules import PROTECTED_NAMES, RefusedCodeError
from kernel.errors import CellEnding, ExplainedError
from kernel.runtime.error_hints import hint
from kernel.runtime.interrupts import Interrupts
from kernel.runtime.variables import MAX_VARIABLES, Describer, VariableWatch
from kernel.runtime.workspace_imports import WorkspaceImports

MESSAGE_CHARS = 2000
TRACEBACK_CHARS = 3000
ECHO_CHARS = 4000


class CellReport(Model):
    """Result of a cell."""

    error: CellError | None = None
    refused: bool = False
    """The checker refused the code, or a workspace module that it imports."""
    variables: Annotated[tuple[Variable, ...], Field(max_length=MAX_VARIABLES)] = ()
    variables_left_out: NonNegativeInt = 0


class CellRunner:
    """Runs cells in one namespace."""

    def __init__(
        self,
        predefined: Mapping[str, object],
        workspace: Path,
        describers: tuple[Describer, ...],
        interrupts: Interrupts,
        protected: frozenset[str] = PROTECTED_NAMES,
    ) -> None:
        """`predefined` are the names that the kernel provides, `protected` those that no cell may bind.

        Describers know the types of CAD objects.
        """
        self._protected = protected
        self._imports = WorkspaceImports(workspace, predefined)
        self._imports.install()
        self._interrupts = interrupts
        self._module = ModuleType("__main__")
        self._module.__dict__.update(predefined, __builtins__=builtins)
        sys.modules["__main__"] = self._module
        self._watch = VariableWatch(describers, ignored=frozenset(predefined))

    def run(self, code: str, name: str, seed: int) -> CellReport:
        """Run one cell, with random numbers seeded by `seed`; `name` appears in tracebacks."""
        modules = self._imports.forget_changed()
        if found := violations(code, modules, self._protected):
            return CellReport(refused=True, error=_refusal(RefusedCodeError(found)))
        random.seed(seed)
        numpy.random.seed(seed)
        filename = f"<{name}>"
        linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
        with _ErrorTrap() as trap, self._interrupts.enabled():
            self._execute(code, filename)
        changes = self._watch.changes(self._module.__dict__)
        return CellReport(
            refused=isinstance(trap.error, RefusedCodeError),
            error=_cell_error(trap.error, filename, modules),
            variables=changes.variables,
            variables_left_out=changes.left_out,
        )

    def _execute(self, code: str, filename: str) -> None:
        tree = ast.parse(code, filename)
        echo: CodeType | None = None
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            echo = compile(ast.Expression(last.value), filename, "eval")
            tree.body.pop()
        namespace = self._module.__dict__
        exec(compile(tree, filename, "exec"), namespace)  # noqa: S102 - running cells is what a kernel is for
        if echo is not None:
            value = eval(echo, namespace)  # noqa: S307 - as above
            if value is not None:
                print(shortened(repr(value), ECHO_CHARS // 2, ECHO_CHARS // 2))  # noqa: T201 - the cell's echo


class _ErrorTrap:
    """Keeps whatever the untrusted code in the `with` block raises, even an exit, as its result."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return True


def _cell_error(error: BaseException | None, filename: str, modules: Collection[str]) -> CellError | None:
    if error is None or isinstance(error, CellEnding):
        return None
    return _refusal(error) if isinstance(error, RefusedCodeError) else _described(error, filename, modules)


def _refusal(error: RefusedCodeError) -> CellError:
    return CellError(type="RefusedCode", message=shortened(storable(str(error)), MESSAGE_CHARS))


def _described(error: BaseException, filename: str, modules: Collection[str]) -> CellError:
    """Return the error with the line of the cell that led to it, even for an exception that cannot be printed."""
    name = storable(type(error).__name__)
    with suppress(BaseException):
        line = _line_in(error, filename)
        text = _traceback(error, filename, modules)
        advice = hint(error)
        message = shortened(storable(f"{str(error).rstrip('.')}{advice}" if advice else str(error)), MESSAGE_CHARS)
        return CellError(type=name, message=message, line=line, traceback=text)
    return CellError(type=name, message="(the exception cannot be printed)")


def _line_in(error: BaseException, filename: str) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return lines[-1] if lines else None


def _is_explained(error: BaseException) -> bool:
    return isinstance(error, ExplainedError) or type(error).__module__.startswith(f"{__name__.partition('.')[0]}.")


def _traceback(error: BaseException, filename: str, modules: Collection[str]) -> str:
    """Return the frames of agent code and the innermost one; frames of libraries between them are left out.

    Of errors that our functions raise for agents, the innermost frame says nothing and is left out, too.
    """
    frames = traceback.extract_tb(error.__traceback__)
    shown = [frame for frame in frames if frame.filename == filename or Path(frame.filename).stem in modules]
    if frames and not (shown and _is_explained(error)) and frames[-1] not in shown and frames[-1].filename != __file__:
        shown.append(frames[-1])
    text = "".join([*traceback.format_list(shown), *traceback.format_exception_only(error)])
    return shortened(storable(text), TRACEBACK_CHARS // 2, TRACEBACK_CHARS // 2)
