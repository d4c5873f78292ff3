"""The house rules as functions from a source to what is wrong with it, one sentence each."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.architecture.repository import Source

LONGEST_FILE_LINES = 300
VAGUE_NAMES = {"utils", "helpers", "helper", "common", "base", "misc", "util"}
AGENTS_OWN = Path("libs/kernel/src/kernel/baked/utils")
"""What agents import as `utils`: the name is theirs."""
FOREIGN_CODE_RUNS_IN = {
    Path("services/cad-worker/src/cad_worker/environment_script.py"): "runs environment.py, which may raise anything",
}
"""Where somebody else's code may raise whatever it likes, and why."""
OWNERS = {
    "faststream": "chassis",
    "nats": "chassis",
    "sqlalchemy": "store",
    "asyncpg": "store",
    "alembic": "store",
    "sqlglot": "store",
    "minio": "artifacts",
    "urllib3": "artifacts",
    "psycopg": "agent",
    "langgraph": "agent",
    "langchain": "agent",
    "langchain_core": "agent offline_expert",
    "build123d": "geometry workbenches cad_worker",
    "OCP": "geometry",
    "bd_warehouse": "cad_worker",
    "mujoco": "sim_worker",
}
"""Which packages alone may import a library."""
FOREIGN_PLACES = ("/" + r"work(?![\w-])", r"\.\./" + "shared", r"\." + "library/", "/" + "root/", "/" + r"home/\w")
"""Places that exist on one machine only."""

Rule = Callable[[Source], list[str]]


def imported_modules(source: Source) -> Iterator[tuple[int, str]]:
    """Yield line and full name of every module that is imported anywhere in the file, also inside functions."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module


def reads_no_environment(source: Source) -> list[str]:
    """Only settings.py reads the environment, itself or through pydantic-settings."""
    if source.path.name == "settings.py":
        return []
    found: list[str] = []
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            found += [f"line {node.lineno}: os.{node.attr}"] if _is_environment(node.attr) else []
        elif isinstance(node, ast.ImportFrom) and node.module in {"os", "pydantic_settings", "dotenv"}:
            names = [alias.name for alias in node.names]
            wrong = [name for name in names if node.module != "os" or _is_environment(name)]
            found += [f"line {node.lineno}: from {node.module} import {name}" for name in wrong]
    return found


def _is_environment(name: str) -> bool:
    return name.removesuffix("b") in {"environ", "getenv", "putenv", "unsetenv"}


def catches_what_it_names(source: Source) -> list[str]:
    """Nobody but the chassis catches everything, unless it raises it again."""
    if source.package == "chassis" or source.path in FOREIGN_CODE_RUNS_IN:
        return []
    handlers = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.ExceptHandler)]
    return [
        f"line {handler.lineno}: catches everything and keeps it"
        for handler in handlers
        if _catches_everything(handler.type) and not _raises_again(handler)
    ]


def _catches_everything(caught: ast.expr | None) -> bool:
    if caught is None:
        return True
    options = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(option, ast.Name) and option.id in {"Exception", "BaseException"} for option in options)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def is_short(source: Source) -> list[str]:
    """No file is longer than a reader's patience."""
    lines = len(source.text.splitlines())
    return [f"{lines} lines, at most {LONGEST_FILE_LINES}: split it"] if lines > LONGEST_FILE_LINES else []


def says_what_it_is(source: Source) -> list[str]:
    """No module or package has a name that could hold anything."""
    if source.path.is_relative_to(AGENTS_OWN):
        return []
    names = {*source.path.parts[:-1], source.path.stem} & VAGUE_NAMES
    return [f"{name} says nothing about what is inside" for name in sorted(names)]


def leaves_libraries_to_their_owners(source: Source) -> list[str]:
    """A library is imported by its one owner alone."""
    return [
        f"line {line}: {module} belongs to {owners}"
        for line, module in imported_modules(source)
        if (owners := OWNERS.get(module.partition(".")[0])) is not None and source.package not in owners.split()
    ]


def imports_no_measurements(source: Source) -> list[str]:
    """The product does not import measurements or tools."""
    return _not_for_import(source, {"perf", "tools"})


def imports_no_tests(source: Source) -> list[str]:
    """The product does not import tests."""
    return _not_for_import(source, {"tests"})


def imports_only_shared_tests(source: Source) -> list[str]:
    """Measurements import `tests.support` and no other tests."""
    return [
        f"line {line}: {module} is not for import"
        for line, module in imported_modules(source)
        if module.partition(".")[0] == "tests" and not f"{module}.".startswith("tests.support.")
    ]


def _not_for_import(source: Source, packages: set[str]) -> list[str]:
    return [
        f"line {line}: {module} is not for import"
        for line, module in imported_modules(source)
        if module.partition(".")[0] in packages
    ]


def is_pure_language(source: Source) -> list[str]:
    """contracts imports itself, pydantic and the standard library."""
    allowed = {"contracts", "pydantic", *sys.stdlib_module_names}
    return [
        f"line {line}: {module}"
        for line, module in imported_modules(source)
        if source.package == "contracts" and module.partition(".")[0] not in allowed
    ]


def names_no_foreign_place(text: str) -> list[str]:
    """Return the lines that speak of a place on one particular machine."""
    return [
        f"line {number}: {found.group()}"
        for number, line in enumerate(text.splitlines(), 1)
        for found in [re.search("|".join(FOREIGN_PLACES), line)]
        if found
    ]
