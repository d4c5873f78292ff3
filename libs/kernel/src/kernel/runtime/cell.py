"""Running cells in one lasting namespace, as a notebook does."""

import ast
import builtins
import linecache
import random
import sys
import traceback
from collections.abc import Collection, Mapping
from pathlib import Path
from types import CodeType, ModuleType

import numpy
from contracts.model import Model
from contracts.models.observation import CellError, Variable
from contracts.text import shortened, storable
from pydantic import NonNegativeInt

from kernel.checker.checker import violations
from kernel.checker.violation import RefusedCodeError
from kernel.runtime.foreign_code import Foreign
from kernel.runtime.interrupts import Interrupts
from kernel.runtime.variables import Describer, VariableWatch
from kernel.runtime.workspace_imports import WorkspaceImports

MESSAGE_CHARS = 2000
TRACEBACK_CHARS = 3000
ECHO_CHARS = 4000


class CellEnding(BaseException):
    """Ends the cell in an orderly way."""


class CellReport(Model):
    """What a cell did."""

    error: CellError | None = None
    refused: bool = False
    """The checker did not let the code, or a workspace module that it imports, run."""
    variables: tuple[Variable, ...] = ()
    variables_left_out: NonNegativeInt = 0


class CellRunner:
    """One namespace, and the cells run in it."""

    def __init__(
        self, world: Mapping[str, object], workspace: Path, describers: tuple[Describer, ...], interrupts: Interrupts
    ) -> None:
        self._imports = WorkspaceImports(workspace, world)
        self._imports.install()
        self._interrupts = interrupts
        self._module = ModuleType("__main__")
        self._module.__dict__.update(world, __builtins__=builtins)
        sys.modules["__main__"] = self._module
        self._watch = VariableWatch(describers, ignored=frozenset(world))

    def run(self, code: str, name: str, seed: int) -> CellReport:
        """Run one cell; `name` stands in tracebacks. Random numbers begin at `seed`."""
        modules = self._imports.renew()
        if found := violations(code, modules):
            return CellReport(refused=True, error=_refusal(RefusedCodeError(found)))
        random.seed(seed)
        numpy.random.seed(seed)
        filename = f"<{name}>"
        linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
        with Foreign() as foreign, self._interrupts.raised():
            self._execute(code, filename)
        look = self._watch.look(self._module.__dict__)
        told = _told(foreign.error, filename, modules)
        refused = isinstance(foreign.error, RefusedCodeError)
        return CellReport(refused=refused, error=told, variables=look.variables, variables_left_out=look.left_out)

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


def _told(error: BaseException | None, filename: str, modules: Collection[str]) -> CellError | None:
    if error is None or isinstance(error, CellEnding):
        return None
    return _refusal(error) if isinstance(error, RefusedCodeError) else _describe(error, filename, modules)


def _refusal(error: RefusedCodeError) -> CellError:
    return CellError(type="RefusedCode", message=shortened(storable(str(error)), MESSAGE_CHARS))


def _describe(error: BaseException, filename: str, modules: Collection[str]) -> CellError:
    """Return the error with the line of the cell that led to it. Survives an exception that cannot be printed."""
    name = storable(type(error).__name__)
    with Foreign():
        line = _line_in(error, filename)
        text = _traceback(error, filename, modules)
        message = shortened(storable(str(error)), MESSAGE_CHARS)
        return CellError(type=name, message=message, line=line, traceback=text)
    return CellError(type=name, message="(the exception cannot be printed)")


def _line_in(error: BaseException, filename: str) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return lines[-1] if lines else None


def _traceback(error: BaseException, filename: str, modules: Collection[str]) -> str:
    """Return the frames of agent code and the innermost one: what lies between is none of the agent's business."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if each.filename == filename or Path(each.filename).stem in modules]
    if frames and (not ours or frames[-1] is not ours[-1]) and frames[-1].filename != __file__:
        ours.append(frames[-1])
    text = "".join([*traceback.format_list(ours), *traceback.format_exception_only(error)])
    return shortened(storable(text), TRACEBACK_CHARS // 2, TRACEBACK_CHARS // 2)
