"""The names that star imports bind, found by parsing source files: nothing is imported or executed.

Ruff cannot report undefined names in a file with a star import, so known ones are replaced before the check. The texts
are an agent's: each is parsed once, however often it is imported, and only so many bytes are parsed in all.
"""

import ast
import contextlib
import io
import math
import symtable
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

PREDEFINED_NAMES = ("benchmark", "environment", "journal", "limits", "quantity", "show", "todo")
"""Bound in every cell and every module of the workspace, without an import."""
MAX_PARSED_BYTES = 128 * 1024
"""Of a file and the modules that it imports: the parser takes up to 4 s for a megabyte, and nothing runs beside it."""
LIBRARIES = ("build123d", "math", "utils")
_TOO_MUCH = (
    f"the file and the modules that it imports by a star have more than {MAX_PARSED_BYTES >> 10} KiB together, so that "
    "undefined names were not looked for; split the file, or import by name"
)
_UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
PARSES = 4
_PARSING = threading.Lock()

ReadModule = Callable[[str], str | None]
"""Returns the text of a Python file of the workspace by its path; None if there is no such file."""


@dataclass(frozen=True)
class StarImports:
    """A file without the star imports that are known."""

    code: str
    """The text with `pass` for each of them; no other line or column has moved."""
    names: frozenset[str] = frozenset()
    """What they bind."""
    note: str = ""
    """Why none was looked into."""


def replace_known_star_imports(text: str, read: ReadModule) -> StarImports:
    """Replace each star import of a known module. A text that cannot be parsed is returned unchanged.

    One thread at a time parses: CPython before 3.11.5 counts the depth of all threads' trees together (gh-106905).
    """
    with _PARSING:
        return _replaced(text, read)


def _replaced(text: str, read: ReadModule) -> StarImports:
    modules = _Modules(read)
    try:
        stars = [each for each in _star_imports(modules.parse(text)) if each.lineno == each.end_lineno]
        modules.add(_module(each) for each in stars)
    except _TooMuchToParseError:
        return StarImports(text, note=_TOO_MUCH)
    except _UNPARSABLE:
        return StarImports(text)
    known = modules.known()
    lines = list(io.StringIO(text, newline=""))  # as the parser counts them
    for each in sorted(stars, key=lambda node: node.col_offset, reverse=True):
        if _module(each) in known:
            line = lines[each.lineno - 1].encode()
            lines[each.lineno - 1] = (line[: each.col_offset] + b"pass" + line[each.end_col_offset :]).decode()
    return StarImports("".join(lines), modules.names({_module(each) for each in stars} & known))


class _TooMuchToParseError(Exception):
    """The texts are longer than `MAX_PARSED_BYTES` together."""


@dataclass(frozen=True)
class _Source:
    """What one module binds, and the modules whose names it imports by a star."""

    names: frozenset[str]
    stars: frozenset[str] = frozenset()


class _Modules:
    """The modules that a file imports by a star, and those that they import so."""

    def __init__(self, read: ReadModule) -> None:
        self._read = read
        self._free_bytes = MAX_PARSED_BYTES
        self._sources: dict[str, _Source | None] = {}
        """By module; None for one that is not known here."""

    def parse(self, text: str) -> ast.Module:
        """Parse a text; raise `_TooMuchToParseError`, or what the parser raises."""
        self._free_bytes -= len(text.encode())
        if self._free_bytes < 0:
            raise _TooMuchToParseError
        return _parsed(text)

    def add(self, modules: Iterable[str]) -> None:
        """Read these modules and all that they import."""
        waiting = list(modules)
        while waiting:
            module = waiting.pop()
            if module not in self._sources:
                source = self._sources[module] = self._source(module)
                waiting += source.stars if source is not None else ()

    def known(self) -> frozenset[str]:
        """Return the modules of which every name is known, also of those that they import."""
        importers: dict[str, list[str]] = {module: [] for module in self._sources}
        for module, source in self._sources.items():
            for imported in source.stars if source is not None else ():
                importers[imported].append(module)
        unknown = _reachable((each for each, source in self._sources.items() if source is None), importers)
        return frozenset(self._sources) - unknown

    def names(self, modules: Iterable[str]) -> frozenset[str]:
        """Return all names that star imports of these modules bind."""
        sources = {module: source for module, source in self._sources.items() if source is not None}
        reached = _reachable(modules, {module: source.stars for module, source in sources.items()})
        return frozenset[str]().union(*(sources[module].names for module in reached))

    def _source(self, module: str) -> _Source | None:
        text = self._read(f"{module.replace('.', '/')}.py")
        if text is None:
            return _Source(_names_of_library(module)) if module in LIBRARIES else None
        try:
            tree = self.parse(text)
            table = symtable.symtable(text, "module", "exec")
        except _UNPARSABLE:
            return None
        bound = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
        public = {each for each in bound if not each.startswith("_")}
        return _Source(frozenset(public | set(PREDEFINED_NAMES)), frozenset(map(_module, _star_imports(tree))))


def _reachable(starts: Iterable[str], following: Mapping[str, Collection[str]]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = list(starts)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += following[module]
    return frozenset(reached)


def _star_imports(tree: ast.Module) -> list[ast.ImportFrom]:
    nodes = (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom))
    return [each for each in nodes if each.names[0].name == "*"]


def _module(node: ast.ImportFrom) -> str:
    """Return the module's name; that of a relative import is not known here."""
    return node.module or "" if node.level == 0 else ""


@cache
def _names_of_library(module: str) -> frozenset[str]:
    """Return the names of `math`, or the literal `__all__` of a package; raise `LookupError` if it has none."""
    if module == "math":
        return frozenset(each for each in dir(math) if not each.startswith("_"))
    if module == "utils":
        source = (resources.files("kernel") / "baked" / "utils" / "__init__.py").read_text(encoding="utf-8")
    else:
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        source = Path(spec.origin).read_text(encoding="utf-8")
    for node in _parsed(source).body:
        if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == ["__all__"]:
            return frozenset(ast.literal_eval(node.value))
    raise LookupError(f"{module} has no literal __all__; list the names of its star import here")


def _parsed(text: str) -> ast.Module:
    """Return the tree of a text; parse again where another thread of the process parsed meanwhile (gh-106905)."""
    for _ in range(PARSES - 1):
        with contextlib.suppress(SystemError):
            return ast.parse(text)
    return ast.parse(text)
