"""Bindings: where code binds names, and where it reaches into what the kernel provides."""

import ast
from collections.abc import Iterable, Iterator, Sequence
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


def imported_names(nodes: Iterable[ScopedNode], except_from: frozenset[str]) -> frozenset[str]:
    """Return every name that is bound to a module, or to something imported from one, in any scope."""
    names: set[str] = set()
    for node, _ in nodes:
        if type(node) is ast.Import:
            roots = ((alias, alias.name.partition(".")[0]) for alias in node.names)
            names |= {alias.asname or root for alias, root in roots if root not in except_from}
        elif type(node) is ast.ImportFrom and (node.module or "").partition(".")[0] not in except_from:
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


_WAYS: dict[type[ast.AST], str] = {
    ast.FunctionDef: "def",
    ast.AsyncFunctionDef: "def",
    ast.ClassDef: "class",
    ast.Global: "global",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.MatchStar: "match",
    ast.MatchAs: "match",
    ast.MatchMapping: "match",
}
_TARGETS: dict[type[ast.AST], tuple[str, str]] = {
    ast.For: ("target", "for"),
    ast.AsyncFor: ("target", "for"),
    ast.withitem: ("optional_vars", "with"),
    ast.AugAssign: ("target", "augmented assignment"),
    ast.NamedExpr: ("target", ":="),
    ast.Delete: ("targets", "del"),
}
_REFLECTION = frozenset(["setattr", "delattr", "getattr", "__setattr__", "__delattr__"])
_NAMESPACES = frozenset(["globals", "locals", "vars"])


def way_of_binding(binding: Binding, nodes: Iterable[ScopedNode]) -> str:
    """Return how a name is bound: by assignment, for, import, import as and so on."""
    kind = type(binding.node)
    if isinstance(binding.node, ast.Import | ast.ImportFrom):
        renamed = any(alias.asname == binding.name for alias in binding.node.names)
        return "import as" if renamed else "import"
    if kind in _WAYS:
        return _WAYS[kind]
    for node, _ in nodes:
        if isinstance(node, ast.ExceptHandler) and node.body and node.body[0] is binding.node:
            return "except as"
        field, way = _TARGETS.get(type(node), ("", ""))
        if field and any(part is binding.node for part in _parts(getattr(node, field))):
            return way
    return "assignment"


def _parts(targets: ast.AST | Sequence[ast.AST] | None) -> Iterator[ast.AST]:
    for target in () if targets is None else [targets] if isinstance(targets, ast.AST) else targets:
        yield from ast.walk(target)


def reached_into(nodes: Iterable[ScopedNode], protected: frozenset[str]) -> Iterator[tuple[ast.expr, str]]:
    """Yield where code changes or explores a protected name by reflection, with the way."""
    for node, _ in nodes:
        if isinstance(node, ast.Call) and node.args:
            name, root = _called(node.func), _root(node.args[0])
            if name in _REFLECTION and root in protected and not _reads_public(node):
                yield node, f"{name} of {root}"
        elif isinstance(node, ast.Subscript) and (what := _item_change(node, protected)):
            yield node, what


def _item_change(node: ast.Subscript, protected: frozenset[str]) -> str:
    """Return how an item changes a protected name, or reads a private part of it; empty if it does not."""
    is_change, key = not isinstance(node.ctx, ast.Load), _key(node)
    if isinstance(node.value, ast.Call):
        name = _called(node.value.func)
        if is_change and name in _NAMESPACES and key in protected and not node.value.args:
            return f"binding of {key} by {name}()"
        root = _root(node.value.args[0]) if name == "vars" and node.value.args else ""
        return f"vars of {root}" if root in protected and (is_change or key.startswith("_")) else ""
    root = _root(node.value)
    return f"change of {root} by an item" if is_change and root in protected else ""


def _called(function: ast.expr) -> str:
    """Return the name of a called builtin, or of a method such as `object.__setattr__`."""
    if isinstance(function, ast.Attribute):
        return function.attr if function.attr.startswith("__") else ""
    return function.id if isinstance(function, ast.Name) else ""


def _reads_public(call: ast.Call) -> bool:
    """Tell whether a `getattr` names a public attribute."""
    if not isinstance(call.func, ast.Name) or call.func.id != "getattr" or len(call.args) < 2:
        return False
    name = call.args[1]
    return isinstance(name, ast.Constant) and isinstance(name.value, str) and not name.value.startswith("_")


def _key(node: ast.Subscript) -> str:
    return str(node.slice.value) if isinstance(node.slice, ast.Constant) else ""


def _root(node: ast.expr) -> str:
    """Return the name that attributes and items belong to; empty if it is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
