"""The names that a star import binds, found by parsing source files: nothing is imported or executed.

Ruff cannot report undefined names in a file with a star import, so known ones are replaced before the check.
"""

import ast
import math
import symtable
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

PREDEFINED_NAMES = ("benchmark", "environment", "journal", "limits", "quantity", "show", "todo")
"""Bound in every cell and every module of the workspace, without an import."""
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def replace_known_star_imports(text: str, modules: Mapping[str, str]) -> tuple[str, frozenset[str]]:
    """Return the text with `pass` for each star import of a known module, and the names that those imports bind.

    No other line or column moves. A text that cannot be parsed is returned unchanged.
    """
    try:
        tree = ast.parse(text)
    except _UNPARSABLE:
        return text, frozenset()
    lines = text.splitlines(keepends=True)
    imported: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*" or node.lineno != node.end_lineno:
            continue
        names = exported_names(node.module or "", modules) if node.level == 0 else None
        if names is not None:
            line = lines[node.lineno - 1].encode()
            lines[node.lineno - 1] = (line[: node.col_offset] + b"pass" + line[node.end_col_offset :]).decode()
            imported |= names
    return "".join(lines), frozenset(imported)


def exported_names(
    module: str, modules: Mapping[str, str], visited: frozenset[str] = frozenset()
) -> frozenset[str] | None:
    """Return the names that `from module import *` binds; None for a module that is not known here."""
    path = f"{module.replace('.', '/')}.py"
    if path in modules and module not in visited:
        return _names_of_text(modules[path], modules, visited | {module})
    if module == "math":
        return frozenset(each for each in dir(math) if not each.startswith("_"))
    return _names_of_library(module) if module in ("build123d", "utils") else None


@cache
def _names_of_library(module: str) -> frozenset[str]:
    """Return the literal `__all__` of a package; raise `LookupError` if it has none."""
    if module == "utils":
        source = (resources.files("kernel") / "baked" / "utils" / "__init__.py").read_text(encoding="utf-8")
    else:
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        source = Path(spec.origin).read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == ["__all__"]:
            return frozenset(ast.literal_eval(node.value))
    raise LookupError(f"{module} has no literal __all__; list the names of its star import here")


def _names_of_text(text: str, modules: Mapping[str, str], visited: frozenset[str]) -> frozenset[str] | None:
    try:
        table = symtable.symtable(text, "module", "exec")
        tree = ast.parse(text)
    except _UNPARSABLE:
        return None
    bound = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    names = {each for each in bound if not each.startswith("_")} | set(PREDEFINED_NAMES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            more = exported_names(node.module or "", modules, visited)
            if more is None:
                return None
            names |= more
    return frozenset(names)
