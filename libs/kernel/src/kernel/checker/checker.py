"""The checker: parses code and reports, in one pass, everything that the rules do not allow.

It teaches agents; the sandbox protects the host. Code that gets past the checker still runs in a process without
network, files and privileges.
"""

import ast
import gc
import re
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager

from kernel.checker.bindings import bindings, imported_names, reached_into, scoped_nodes, way_of_binding
from kernel.checker.rules import (
    ALLOWED_MODULES,
    API_MODULES,
    CLOSED_MODULES,
    FORBIDDEN_BUILTINS,
    FORBIDDEN_DUNDERS,
    FRAME_ATTRIBUTES,
    LIBRARIES,
    LIBRARY_ATTRIBUTES,
    OTHER_MODULES,
    PROTECTED_NAMES,
    SYSTEM_MODULES,
    Rule,
    Violation,
)

_DUNDER = re.compile(r"__\w*[^\W_]\w*__")
_DUNDER_IN_TEMPLATE = re.compile(r"[.\[{]\s*(__\w*[^\W_]\w*__)")
_PUBLIC = "use the object's public attributes and methods"
_STREAMS = frozenset(["stdin", "stdout", "stderr"])

_Located = ast.expr | ast.stmt | ast.pattern | ast.alias
"""A node with line and column."""


def violations(
    code: str, workspace_modules: Collection[str] = (), protected: frozenset[str] = PROTECTED_NAMES
) -> tuple[Violation, ...]:
    """Return everything in the code that is not allowed, in the order of lines. Never raises.

    `protected` are the names that the kernel provides.
    """
    try:
        with _paused_garbage_collection():
            found = _Reader(ast.parse(code), frozenset(workspace_modules), protected).read()
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

    def __init__(self, tree: ast.Module, own_modules: frozenset[str], protected: frozenset[str]) -> None:
        """`own_modules` are the top-level modules of the workspace."""
        self._nodes = scoped_nodes(tree)
        self._own_modules = own_modules
        self._protected = protected
        self._of_libraries = imported_names(self._nodes, except_from=own_modules) | protected
        self._bindings = bindings(self._nodes)
        self._found: list[Violation] = []
        self._readers: dict[type[ast.AST], Callable[..., None]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
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
            is_own = binding.source in {f"{module}.{binding.name}" for module in API_MODULES}
            if binding.name in self._protected and not is_own:
                alternative = f"choose another name: `{binding.name}` belongs to the kernel"
                way = way_of_binding(binding, self._nodes)
                self._add(binding.node, "protected", f"binding of {binding.name} by {way}", alternative)
        for node, what in reached_into(self._nodes, self._protected):
            self._add(node, "protected", what, "use its public functions, and variables of your own")
        return self._found

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._module(alias, alias.name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        self._module(node, module)
        of_library = module.partition(".")[0] not in self._own_modules
        for alias in node.names:
            if f"{module}.{alias.name}" in CLOSED_MODULES:
                self._module(alias, f"{module}.{alias.name}")
            else:
                self._member(alias, alias.name, module, of_library=of_library)

    def _module(self, node: _Located, name: str) -> None:
        root = name.partition(".")[0]
        is_closed = any(name == each or name.startswith(f"{each}.") for each in CLOSED_MODULES)
        if is_closed or (root not in ALLOWED_MODULES and root not in self._own_modules):
            own = f"use `{root}` without an import: the kernel provides it" if root in self._protected else ""
            instead = own or SYSTEM_MODULES.get(root) or OTHER_MODULES.get(root) or self._importable()
            self._add(node, "import", f"import of {name}", instead)

    def _importable(self) -> str:
        known = ", ".join(sorted(LIBRARIES | self._own_modules))
        return f"import one of {known}, or a module of the standard library such as math, json or dataclasses"

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if name in FORBIDDEN_BUILTINS and isinstance(node.ctx, ast.Load):
            self._add(node, "builtin", name, FORBIDDEN_BUILTINS[name])
        elif name in FORBIDDEN_DUNDERS:
            self._add(node, "dunder", name, "use public names")

    def _attribute(self, node: ast.Attribute) -> None:
        root, of_library = node.value, False
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            of_library = root.id in self._of_libraries
        if of_library and not isinstance(node.ctx, ast.Load):
            own = "leave it unchanged; use an object of your own"
            instead = "use contextlib.redirect_stdout(io.StringIO())" if node.attr in _STREAMS else own
            self._add(node, "protected", f"change of {ast.unparse(node)}", instead)
        else:
            self._member(node, node.attr, ast.unparse(node.value) if of_library else "", of_library=of_library)

    def _member(self, node: _Located, name: str, owner: str, *, of_library: bool) -> None:
        """Check one attribute of an object, of a library's or of any."""
        if name in FRAME_ATTRIBUTES:
            self._add(node, "frame", f"attribute {name}", "pass values as arguments")
        elif name in FORBIDDEN_DUNDERS:
            self._add(node, "dunder", f"attribute {name}", _PUBLIC)
        elif of_library and name in SYSTEM_MODULES:
            self._add(node, "import", f"{name} through {owner}", SYSTEM_MODULES[name])
        elif of_library and name in LIBRARY_ATTRIBUTES:
            rule, instead = LIBRARY_ATTRIBUTES[name]
            self._add(node, rule, f"{owner}.{name}", instead)
        elif of_library and name.startswith("_") and name != "_" and not _is_dunder(name):
            self._add(node, "private", f"attribute {name}", "use the public interface of the library")

    def _constant(self, node: ast.Constant) -> None:
        text = node.value
        if not isinstance(text, str) or "__" not in text:
            return
        names = [text] if _DUNDER.fullmatch(text) else _DUNDER_IN_TEMPLATE.findall(text)
        for name in names:
            if name in FORBIDDEN_DUNDERS:
                self._add(node, "dunder", f"the name {name} in a string", _PUBLIC)
                return

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if node.name in FORBIDDEN_DUNDERS:
            self._add(node, "dunder", f"definition of {node.name}", "use a name without double underscores")

    def _match_class(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            self._member(node, name, "", of_library=False)

    def _add(self, node: _Located, rule: Rule, what: str, instead: str) -> None:
        violation = Violation(rule=rule, line=node.lineno, column=node.col_offset + 1, what=what, instead=instead)
        self._found.append(violation)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and _DUNDER.fullmatch(name) is not None
