"""Nodes of a syntax tree with their scope, imported names, and the names that the top level binds."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BINDING: frozenset[type[ast.AST]] = frozenset(
    (
        *(ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Import, ast.ImportFrom),
        *(ast.ExceptHandler, ast.MatchStar, ast.MatchAs, ast.MatchMapping),
    )
)
_SKIPPED_FIELDS = frozenset(["ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment"])
"""Fields that hold no relevant nodes: half of a tree are `Load`s."""


ScopedNode = tuple[ast.AST, bool]
"""A node, and whether it is at the top level rather than in a function or class."""


@dataclass(frozen=True)
class Binding:
    """A place where the top level binds a name."""

    name: str
    node: ast.stmt | ast.expr | ast.pattern
    source: str = ""
    """The module that an import takes it from; empty for everything else."""


def scoped_nodes(tree: ast.Module) -> list[ScopedNode]:
    """Return the nodes of a tree in one pass, twice as fast as `ast.walk`, which does not track scopes either."""
    found: list[ScopedNode] = []
    pending: list[ScopedNode] = [(tree, True)]
    while pending:
        node, is_top = pending.pop()
        found.append((node, is_top))
        kind = type(node)
        is_child_top = is_top and kind not in _SCOPES
        for field in _fields(kind):
            value = getattr(node, field, None)
            if type(value) is list:
                pending += [(each, is_child_top) for each in value if isinstance(each, ast.AST)]  # pyright: ignore[reportUnknownVariableType] - fields are untyped
            elif isinstance(value, ast.AST):
                pending.append((value, is_child_top))
    return found


@cache
def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(field for field in kind._fields if field not in _SKIPPED_FIELDS)


def imported_names(nodes: Iterable[ScopedNode]) -> frozenset[str]:
    """Return every name that is bound to a module, or to something imported from one, in any scope."""
    names: set[str] = set()
    for node, _ in nodes:
        if type(node) is ast.Import:
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif type(node) is ast.ImportFrom:
            names |= {alias.asname or alias.name for alias in node.names}
    return frozenset(names)


def bindings(nodes: Iterable[ScopedNode]) -> list[Binding]:
    """Return the names that the top level binds, and those that functions bind by `global`."""
    binding_nodes = (
        node
        for node, is_top in nodes
        if type(node) in _BINDING and (is_top or type(node) is ast.Global) and not _is_read(node)
    )
    return [binding for node in binding_nodes for binding in _bound(node)]


def _is_read(node: ast.AST) -> bool:
    """Sort out most names, which bind nothing, in the fastest way."""
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
