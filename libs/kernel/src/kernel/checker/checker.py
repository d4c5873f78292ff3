"""The checker: parses code and reports, in one pass, everything that the rules do not allow.

It teaches agents; the sandbox protects the host. Code that gets past the checker still runs in a process without
network, files and privileges.
"""

import ast
import gc
import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from kernel.checker.rules import (
    ALLOWED_MODULES,
    BY_NAME_FUNCTIONS,
    BY_NAME_METHODS,
    CLOSED_MODULES,
    DEFINABLE_DUNDERS,
    FILE_ATTRIBUTES,
    FORBIDDEN_BUILTINS,
    FRAME_ATTRIBUTES,
    LIBRARY_FILE_ATTRIBUTES,
    PROTECTED_NAMES,
    READABLE_DUNDERS,
    SYSTEM_MODULES,
    Rule,
    Violation,
)

_DUNDER = re.compile(r"__\w*[^\W_]\w*__")
_DUNDER_IN_TEMPLATE = re.compile(r"[.\[{]\s*(__\w*[^\W_]\w*__)")
_PUBLIC = "use the object's public attributes and methods"
_LITERAL = "write the attribute itself, `part.name`, or keep the objects in a dict"

_Located = ast.expr | ast.stmt | ast.pattern | ast.alias
"""A node with line and column."""


def violations(code: str, workspace_modules: Collection[str] = ()) -> tuple[Violation, ...]:
    """Return everything in the code that is not allowed, in the order of lines. Never raises."""
    try:
        with _paused_garbage_collection():
            found = _Reader(ast.parse(code), ALLOWED_MODULES | set(workspace_modules)).read()
    except SyntaxError as error:
        return (_syntax_violation(error.lineno or 1, error.offset or 1, error.msg),)
    except (ValueError, RecursionError, MemoryError) as error:
        return (_syntax_violation(1, 1, str(error) or type(error).__name__),)
    return tuple(sorted(found, key=lambda violation: (violation.line, violation.column)))


@contextmanager
def _paused_garbage_collection() -> Generator[None]:
    """Pause collection: a tree has many objects and no garbage, and looking for some takes longer than parsing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _syntax_violation(line: int, column: int, message: str) -> Violation:
    return Violation(rule="syntax", line=line, column=column, what=message, instead="correct the syntax")


class _Reader:
    """Reads one syntax tree."""

    def __init__(self, tree: ast.Module, modules: Collection[str]) -> None:
        """`modules` are the top-level modules that may be imported."""
        self._nodes = scoped_nodes(tree)
        self._modules = modules
        self._imported = imported_names(self._nodes)
        self._bindings = bindings(self._nodes)
        self._own = {binding.name for binding in self._bindings if not binding.source}
        self._called: set[ast.expr] = set()
        self._found: list[Violation] = []
        self._readers: dict[type[ast.AST], Callable[..., None]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.FunctionDef: self._definition,
            ast.AsyncFunctionDef: self._definition,
            ast.ClassDef: self._definition,
            ast.MatchClass: self._match_class,
        }

    def read(self) -> list[Violation]:
        """Return all violations."""
        for node, _ in self._nodes:
            if reader := self._readers.get(type(node)):
                reader(node)
        for binding in self._bindings:
            if binding.name in PROTECTED_NAMES and binding.source != f"utils.{binding.name}":
                alternative = f"choose another name: `{binding.name}` belongs to the kernel"
                self._add(binding.node, "protected", f"binding of {binding.name}", alternative)
        return self._found

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._module(alias, alias.name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        self._module(node, module)
        for alias in node.names:
            if alias.name in SYSTEM_MODULES:
                self._add(alias, "import", f"{alias.name} through {module}", self._importable())
            elif f"{module}.{alias.name}" in CLOSED_MODULES:
                self._module(alias, f"{module}.{alias.name}")
            else:
                self._member(alias, alias.name, of_library=True)

    def _module(self, node: _Located, name: str) -> None:
        is_closed = any(name == each or name.startswith(f"{each}.") for each in CLOSED_MODULES)
        if is_closed or name.partition(".")[0] not in self._modules:
            self._add(node, "import", f"import of {name}", self._importable())

    def _importable(self) -> str:
        return f"import one of {', '.join(sorted(self._modules))}"

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name in FORBIDDEN_BUILTINS and isinstance(node.ctx, ast.Load):
            self._add(node, "builtin", name, FORBIDDEN_BUILTINS[name])
        elif name in BY_NAME_FUNCTIONS and isinstance(node.ctx, ast.Load) and node not in self._called:
            self._add(node, "dynamic", f"{name} as a value", _LITERAL)
        elif name in FILE_ATTRIBUTES and name not in self._own:
            self._add(node, "file-io", name, FILE_ATTRIBUTES[name])
        elif _is_dunder(name) and name not in DEFINABLE_DUNDERS:
            self._add(node, "dunder", name, "use public names")

    def _attribute(self, node: ast.Attribute) -> None:
        root, is_library = node.value, False
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            is_library = root.id in self._imported or root.id in PROTECTED_NAMES
        if is_library and not isinstance(node.ctx, ast.Load):
            self._add(
                node, "protected", f"change of {ast.unparse(node)}", "leave it unchanged; use an object of your own"
            )
        elif is_library and node.attr in SYSTEM_MODULES:
            self._add(node, "import", f"{node.attr} through {ast.unparse(node.value)}", self._importable())
        else:
            self._member(node, node.attr, of_library=is_library)

    def _member(self, node: _Located, name: str, *, of_library: bool) -> None:
        """Check one attribute of an object, of a library's or of any."""
        if name in FRAME_ATTRIBUTES:
            self._add(node, "frame", f"attribute {name}", "pass values as arguments")
        elif _is_dunder(name):
            if name not in READABLE_DUNDERS:
                self._add(node, "dunder", f"attribute {name}", _PUBLIC)
        elif name in FILE_ATTRIBUTES:
            self._add(node, "file-io", name, FILE_ATTRIBUTES[name])
        elif of_library and name in LIBRARY_FILE_ATTRIBUTES:
            self._add(node, "file-io", name, LIBRARY_FILE_ATTRIBUTES[name])
        elif of_library and name.startswith("_") and name != "_":
            self._add(node, "private", f"attribute {name}", "use the public interface of the library")

    def _call(self, node: ast.Call) -> None:
        self._called.add(node.func)
        match node.func:
            case ast.Name(id=name) if name in BY_NAME_FUNCTIONS:
                self._by_name(node, name, node.args[1:2])
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in BY_NAME_METHODS:
                self._by_name(node, name, node.args)
            case _:
                pass

    def _by_name(self, node: ast.Call, function: str, names: list[ast.expr]) -> None:
        for name in names:
            match name:
                case ast.Constant(value=str(text)):
                    for attribute in text.split("."):
                        self._member(name, attribute, of_library=True)
                case _:
                    self._add(node, "dynamic", f"{function} with a computed name", _LITERAL)
                    return

    def _constant(self, node: ast.Constant) -> None:
        text = node.value
        if not isinstance(text, str) or "__" not in text:
            return
        names = [text] if _DUNDER.fullmatch(text) else _DUNDER_IN_TEMPLATE.findall(text)
        for name in names:
            if name not in READABLE_DUNDERS | {"__main__"}:
                self._add(node, "dunder", f"the name {name} in a string", _PUBLIC)
                return

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if _is_dunder(node.name) and node.name not in DEFINABLE_DUNDERS:
            self._add(node, "dunder", f"definition of {node.name}", "use a name without double underscores")

    def _match_class(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            self._member(node, name, of_library=False)

    def _add(self, node: _Located, rule: Rule, what: str, instead: str) -> None:
        violation = Violation(rule=rule, line=node.lineno, column=node.col_offset + 1, what=what, instead=instead)
        self._found.append(violation)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and _DUNDER.fullmatch(name) is not None


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
