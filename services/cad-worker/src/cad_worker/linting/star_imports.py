"""What a star import brings, read from sources alone: nothing is imported, nothing is run."""

import ast
import math
import symtable
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

GIVEN_NAMES = ("benchmark", "environment", "journal", "limits", "quantity", "show", "todo")
"""What every cell and every module of the workspace knows without an import."""


def without_known_stars(text: str, modules: Mapping[str, str]) -> tuple[str, frozenset[str]]:
    """Return the text with each star import that is understood taken out, and the names that these bring.

    No other line or column moves. A text that cannot be parsed stays as it is.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text, frozenset()
    lines = text.splitlines(keepends=True)
    brought: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.names[0].name != "*" or node.lineno != node.end_lineno:
            continue
        names = names_of(node.module or "", modules) if node.level == 0 else None
        if names is not None:
            line = lines[node.lineno - 1].encode()
            lines[node.lineno - 1] = (line[: node.col_offset] + b"pass" + line[node.end_col_offset :]).decode()
            brought |= names
    return "".join(lines), frozenset(brought)


def names_of(module: str, modules: Mapping[str, str], seen: frozenset[str] = frozenset()) -> frozenset[str] | None:
    """Return what `from module import *` brings, or None if nobody knows."""
    path = f"{module.replace('.', '/')}.py"
    if path in modules and module not in seen:
        return _names_in(modules[path], modules, seen | {module})
    if module == "math":
        return frozenset(each for each in dir(math) if not each.startswith("_"))
    return _names_of_library(module) if module in ("build123d", "utils") else None


@cache
def _names_of_library(module: str) -> frozenset[str]:
    """Return the literal `__all__` of a package of ours; raise `LookupError` if it has none."""
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
    raise LookupError(f"{module} has no literal __all__ any more; say here what its star import brings")


def _names_in(text: str, modules: Mapping[str, str], seen: frozenset[str]) -> frozenset[str] | None:
    try:
        table = symtable.symtable(text, "module", "exec")
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    names = {each for each in bound if not each.startswith("_")} | set(GIVEN_NAMES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            more = names_of(node.module or "", modules, seen)
            if more is None:
                return None
            names |= more
    return frozenset(names)
