"""The first fence: code is read before it runs, and told all at once what is not allowed and what is.

It teaches; the sandbox protects. What slips through here meets a process without network, files and privileges.
"""

import ast
from collections.abc import Collection
from typing import Literal

from contracts.model import Model

ALLOWED_MODULES = frozenset(
    [
        "__future__",
        "abc",
        "bisect",
        "build123d",
        "cmath",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "heapq",
        "itertools",
        "json",
        "math",
        "numpy",
        "operator",
        "random",
        "re",
        "statistics",
        "string",
        "textwrap",
        "time",
        "typing",
        "utils",
    ]
)
FORBIDDEN_BUILTINS: dict[str, str] = {
    "eval": "call the function itself, or json.loads for data",
    "exec": "write the code into the cell or into a workspace module and import it",
    "compile": "write the code into the cell",
    "open": "write files with the write_file tool; read a workspace module by importing it",
    "input": "nobody is there to answer: use variables",
    "breakpoint": "print what you want to know",
    "globals": "use plain variables, a dict or a dataclass",
    "locals": "use plain variables, a dict or a dataclass",
    "vars": "name the attributes you need",
    "memoryview": "use numpy",
    "__import__": "use an import statement",
    "__builtins__": "use the builtin by its name",
    "__loader__": "use an import statement",
    "__spec__": "use an import statement",
}
ALLOWED_DUNDERS = frozenset(
    [
        "__init__",
        "__name__",
        "__doc__",
        "__len__",
        "__str__",
        "__repr__",
        "__eq__",
        "__lt__",
        "__hash__",
        "__call__",
        "__enter__",
        "__exit__",
        "__iter__",
        "__next__",
        "__getitem__",
        "__contains__",
        "__add__",
        "__sub__",
        "__mul__",
        "__post_init__",
        "__version__",
        "__all__",
    ]
)
FRAME_ATTRIBUTES = frozenset(
    [
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
        "f_locals",
        "tb_frame",
        "tb_next",
        "gi_frame",
        "gi_code",
        "cr_frame",
        "cr_code",
        "ag_frame",
        "ag_code",
        "func_globals",
        "func_code",
        "mro",
    ]
)
Rule = Literal["syntax", "import", "builtin", "dunder", "frame"]


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


def violations(code: str, workspace_modules: Collection[str] = ()) -> tuple[Violation, ...]:
    """Return everything in the code that is not allowed, in the order of lines. Never raises."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return (_unreadable(error.lineno or 1, error.offset or 1, error.msg),)
    except (ValueError, RecursionError, MemoryError) as error:
        return (_unreadable(1, 1, str(error) or type(error).__name__),)
    reader = _Reader(ALLOWED_MODULES | set(workspace_modules))
    for node in ast.walk(tree):
        reader.read(node)
    return tuple(sorted(reader.found, key=lambda each: (each.line, each.column)))


def _unreadable(line: int, column: int, message: str) -> Violation:
    return Violation(rule="syntax", line=line, column=column, what=message, instead="mend the syntax")


class _Reader:
    def __init__(self, modules: Collection[str]) -> None:
        self._modules = modules
        self.found: list[Violation] = []

    def read(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    self._module(node, alias.name)
            case ast.ImportFrom(module=module, level=level):
                self._module(node, "." * level + (module or ""))
            case ast.Name(id=name):
                self._name(node, name)
            case ast.Attribute(attr=name):
                self._attribute(node, name)
            case ast.Constant(value=str(text)) if _is_dunder(text) and text not in ALLOWED_DUNDERS | {"__main__"}:
                self._add(node, "dunder", f"the name {text} in a string", "use the object's public methods")
            case _:
                pass

    def _module(self, node: ast.Import | ast.ImportFrom, name: str) -> None:
        if name.partition(".")[0] not in self._modules:
            self._add(node, "import", f"import of {name}", f"import one of {', '.join(sorted(self._modules))}")

    def _name(self, node: ast.Name, name: str) -> None:
        if name in FORBIDDEN_BUILTINS:
            self._add(node, "builtin", name, FORBIDDEN_BUILTINS[name])
        elif _is_dunder(name) and name not in ALLOWED_DUNDERS:
            self._add(node, "dunder", name, "use public names")

    def _attribute(self, node: ast.Attribute, name: str) -> None:
        if name in FRAME_ATTRIBUTES:
            self._add(node, "frame", f"attribute {name}", "pass values as arguments")
        elif _is_dunder(name) and name not in ALLOWED_DUNDERS:
            self._add(node, "dunder", f"attribute {name}", "use the object's public methods")

    def _add(self, node: ast.expr | ast.stmt, rule: Rule, what: str, instead: str) -> None:
        place = {"line": node.lineno, "column": node.col_offset + 1}
        self.found.append(Violation(rule=rule, what=what, instead=instead, **place))


def _is_dunder(name: str) -> bool:
    return len(name) > 4 and name.startswith("__") and name.endswith("__")
