"""Give imported functions the code of a changed source file, so that a warm process need not import it again."""

import ast
import builtins
import gc
import inspect
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

_Place = tuple[str, str, int]
"""File, qualified name, first line."""
Call = tuple[str, int]
"""File and first line of a function."""
_NOTE = "_mutation_note_call"


@dataclass(frozen=True)
class CodeChange:
    """The functions that a change concerns: what their qualified names and first lines are, and their new code."""

    codes: dict[tuple[str, int], CodeType]


class FunctionIndex:
    """Every function of Python code that a process has imported, by its place."""

    def __init__(self) -> None:
        gc.unfreeze()  # what is frozen is not listed
        self._functions: dict[_Place, list[FunctionType]] = defaultdict(list)
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                code = each.__code__
                self._functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(each)
        gc.freeze()

    def note_calls(self, file: str, called: "set[Call]") -> None:
        """Let the functions of a file add their place to a set whenever they are called."""
        text = Path(file).read_text(encoding="utf-8")
        setattr(builtins, _NOTE, called.add)
        change = code_change(file, text, _noting(file, text))
        if change is None:
            raise ValueError(f"{file}: its functions cannot note their calls")
        for (name, line), code in change.codes.items():
            for function in self._functions.get((file, name, line), []):
                function.__code__ = code

    def apply(self, file: str, change: CodeChange) -> bool:
        """Change all functions of a file; return whether each was there, and none has other free variables."""
        found = [(self._functions.get((file, *place), []), code) for place, code in change.codes.items()]
        if not all(functions for functions, _ in found):
            return False
        for functions, code in found:
            for function in functions:
                if len(function.__code__.co_freevars) != len(code.co_freevars):
                    return False
                function.__code__ = code
        return True


def code_change(file: str, before: str | ast.Module, after: str | ast.Module) -> CodeChange | None:
    """Return what differs between two texts of a file; `None` if it is more than the code within functions."""
    old, new = _read(compile(before, file, "exec")), _read(compile(after, file, "exec"))
    if old.bodies != new.bodies or [name for name, _ in old.functions] != [name for name, _ in new.functions]:
        return None
    pairs = zip(old.functions, new.functions, strict=True)
    return CodeChange(
        {
            (name, code.co_firstlineno): changed
            for (name, code), (_, changed) in pairs
            if _meaning(code) != _meaning(changed)
        }
    )


def lines_of_readers(file: str, before: str, after: str) -> set[int]:
    """Return the first lines of the functions that read a changed constant of the module, or have a changed default."""
    statements = zip(ast.parse(before).body, ast.parse(after).body, strict=True)
    changed = [old for old, new in statements if ast.dump(old) != ast.dump(new)]
    stored = {
        node.id for each in changed if not isinstance(each, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(each) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }  # fmt: skip
    own = {each.name for each in changed if isinstance(each, ast.FunctionDef)}
    functions = _read(compile(before, file, "exec")).functions
    return {code.co_firstlineno for name, code in functions if name in own or stored & _names(code)}


def _names(code: CodeType) -> set[str]:
    return {*code.co_names, *(name for each in _nested(code) for name in _names(each))}


def _noting(file: str, text: str) -> ast.Module:
    """Return a file whose outermost functions begin with a note of their call."""
    tree = ast.parse(text)
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node, *node.decorator_list], key=lambda each: each.lineno).lineno
            (note,) = ast.parse(f"{_NOTE}(({file!r}, {first}))").body
            node.body.insert(0, note)
        elif isinstance(node, ast.ClassDef | ast.If):
            pending += node.body
    return tree


@dataclass(frozen=True)
class _Parts:
    bodies: list[object]
    """What ran when the file was imported: the module and its classes."""
    functions: list[tuple[str, CodeType]]
    """The outermost ones."""


def _read(module: CodeType) -> _Parts:
    bodies: list[object] = []
    functions: list[tuple[str, CodeType]] = []
    pending = [module]
    while pending:
        body = pending.pop(0)
        bodies.append(_shallow(body))
        for code in _nested(body):
            if code.co_flags & inspect.CO_OPTIMIZED:
                functions.append((code.co_qualname, code))
            else:
                pending.append(code)
    return _Parts(bodies, functions)


def _nested(code: CodeType) -> Iterator[CodeType]:
    return (each for each in code.co_consts if isinstance(each, CodeType))


def _shallow(code: CodeType) -> object:
    constants = [each.co_qualname if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_qualname, code.co_code, code.co_names, code.co_varnames, constants


def _meaning(code: CodeType) -> object:
    return _shallow(code), code.co_freevars, [_meaning(each) for each in _nested(code)]
