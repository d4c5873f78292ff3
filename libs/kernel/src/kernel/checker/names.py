"""Where names come from: what an import binds, and what the top level of a cell binds itself."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BINDING: frozenset[type[ast.AST]] = frozenset(
    (
        *(ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Import, ast.ImportFrom),
        *(ast.ExceptHandler, ast.MatchStar, ast.MatchAs, ast.MatchMapping),
    )
)
_WITHOUT_NODES = frozenset(["ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment"])
"""Fields below which nothing is read: half of a tree are `Load`s."""


Found = tuple[ast.AST, bool]
"""One node, and whether it stands at the top level rather than in a function or class."""


@dataclass(frozen=True)
class Binding:
    """One place at which the top level gives a name a value."""

    name: str
    node: ast.stmt | ast.expr | ast.pattern
    source: str = ""
    """The module that an import takes it from; empty for everything else."""


def nodes(tree: ast.Module) -> list[Found]:
    """Return the nodes of a tree, in one pass. `ast.walk` takes twice as long, and does not know of scopes."""
    found: list[Found] = []
    waiting: list[tuple[ast.AST, bool]] = [(tree, True)]
    while waiting:
        node, at_top = waiting.pop()
        found.append((node, at_top))
        kind = type(node)
        below = at_top and kind not in _OWN_SCOPE
        for field in _fields(kind):
            value = getattr(node, field, None)
            if type(value) is list:
                waiting += [(each, below) for each in value if isinstance(each, ast.AST)]  # pyright: ignore[reportUnknownVariableType] - fields are untyped
            elif isinstance(value, ast.AST):
                waiting.append((value, below))
    return found


@cache
def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(field for field in kind._fields if field not in _WITHOUT_NODES)


def imported_names(found: Iterable[Found]) -> frozenset[str]:
    """Return every name that stands for a module, or for something taken out of one, in any scope."""
    names: set[str] = set()
    for node, _ in found:
        if type(node) is ast.Import:
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif type(node) is ast.ImportFrom:
            names |= {alias.asname or alias.name for alias in node.names}
    return frozenset(names)


def bindings(found: Iterable[Found]) -> list[Binding]:
    """Return what the top level binds, and what functions bind by `global`. Other names of a function are its own."""
    binding_nodes = (
        node
        for node, at_top in found
        if type(node) in _BINDING and (at_top or type(node) is ast.Global) and not _is_read(node)
    )
    return [binding for node in binding_nodes for binding in _bound(node)]


def _is_read(node: ast.AST) -> bool:
    """Tell most names apart, which bind nothing, in the shortest way."""
    return type(node) is ast.Name and type(node.ctx) is ast.Load


def _bound(node: ast.AST) -> Iterator[Binding]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield Binding(name, node)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield Binding(name, node)
        case ast.Global(names=names):
            yield from (Binding(name, node) for name in names)
        case ast.Import(names=names):
            yield from (Binding(alias.asname or alias.name.partition(".")[0], node, alias.name) for alias in names)
        case ast.ImportFrom(names=names, module=module):
            yield from (Binding(alias.asname or alias.name, node, f"{module}.{alias.name}") for alias in names)
        case ast.ExceptHandler(name=str(name)):
            yield Binding(name, node.body[0])
        case ast.MatchStar(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield Binding(name, node)
        case _:
            pass
