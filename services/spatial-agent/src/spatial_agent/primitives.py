"""Primitives: which functions and control structures the cells of a question use."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from contracts.models.questions.question import PrimitiveUse

ROOTS = frozenset(("tools", "vlm", "show", "ReturnAnswer", "feedback", "InputImages", "Metadata"))
"""Names that the kernel of a question provides."""
STRUCTURES: dict[type[ast.AST], str] = {
    ast.For: "for",
    ast.While: "while",
    ast.If: "if",
    ast.FunctionDef: "def",
    ast.ListComp: "comprehension",
    ast.SetComp: "comprehension",
    ast.DictComp: "comprehension",
    ast.GeneratorExp: "comprehension",
    ast.Try: "try",
}


def add_primitives(before: Sequence[PrimitiveUse], code: str) -> tuple[PrimitiveUse, ...]:
    """Return the counts after one more cell, by name. Code that cannot be parsed uses nothing.

    What is counted is written, not executed: a call in a loop counts once.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(before)
    counts = Counter({each.name: each.count for each in before})
    counts.update(_used(tree))
    return tuple(PrimitiveUse(name=name, count=counts[name]) for name in sorted(counts))


def _used(tree: ast.Module) -> Iterator[str]:
    libraries = _imported(tree)
    for node in ast.walk(tree):
        if type(node) in STRUCTURES:
            yield STRUCTURES[type(node)]
        elif isinstance(node, ast.Call) and (name := _dotted(node.func)):
            root, dot, rest = name.partition(".")
            if root in ROOTS:
                yield name
            elif root in libraries:
                yield f"{libraries[root]}{dot}{rest}"


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return the full name of everything that the cell imports, by the name that it is bound to; `np` is always one."""
    names = {"np": "numpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                first = each.name.partition(".")[0]
                names[each.asname or first] = each.name if each.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return names


def _dotted(node: ast.expr) -> str:
    """Return `a.b.c` of names and attributes; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])
