"""Rules for sources, as functions from a source to its breaches, one sentence each."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.architecture.repository import Source

MAX_FILE_LINES = 400
VAGUE_NAMES = {"utils", "helpers", "helper", "common", "base", "misc", "util"}
AGENT_UTILS = Path("libs/kernel/src/kernel/baked/utils")
"""What agents import as `utils`."""
RUNS_AGENT_CODE = {
    Path("services/cad-worker/src/cad_worker/environment_script.py"): "runs environment.py, which may raise anything",
    Path("services/cad-worker/src/cad_worker/jobs/part_script.py"): "runs a user's script, which may raise anything",
}
"""Files that may catch every exception, and why."""
OWNERS = {
    "faststream": "chassis",
    "nats": "chassis",
    "sqlalchemy": "store",
    "asyncpg": "store",
    "alembic": "store",
    "sqlglot": "store",
    "minio": "artifacts",
    "fastapi": "gateway",
    "starlette": "gateway perception_server",
    "uvicorn": "gateway perception_server",
    "urllib3": "artifacts",
    "psycopg": "agent",
    "langgraph": "agent",
    "langchain": "agent",
    "langchain_core": "agent offline_expert",
    "build123d": "geometry workbenches build_package catalog_shapes design_rules cad_worker",
    "OCP": "geometry",
    "bd_warehouse": "catalog_shapes",
    "mcp": "mcp_server",
    "mujoco": "sim_worker perception_worker",
    "av": "sim_worker questions",
    "ormsgpack": "spatial",
    "torch": "perception_server",
    "transformers": "perception_server",
}
"""By library: the only packages that may import it."""
MACHINE_PATHS = ("/" + r"work(?![\w-])", r"\.\./" + "shared", r"\." + "library/", "/" + "root/", "/" + r"home/\w")
"""Patterns of paths that exist on one machine only."""
GERUNDS = {
    "fuzzing": "the field's word for random tests",
    "formatting": "the field's word for numbers as text",
    "linting": "the field's word",
    "listing": "a list of what is there, such as `schema_listing`",
    "messaging": "the field's word for brokers and their clients",
    "moulding": "the process",
    "turning": "the process",
    "milling": "the process",
    "parting": "a parting line and plane of a mould",
    "pricing": "the field's word",
    "printing": "the process",
    "provisioning": "the field's word for creating streams, users and buckets",
    "reasoning": "what a model thinks before its reply",
    "rendering": "the field's word",
    "routing": "the field's word for finding a path",
    "sampling": "the field's word",
    "solving": "`./run perf solving`, the name of recorded results",
    "testing": "fakes for tests, as `numpy.testing`",
    "tracing": "the field's word",
}
"""Names of modules and folders in -ing that are nouns of the field, and why. Other names in -ing are verbs."""

Rule = Callable[[Source], list[str]]


def imported_modules(source: Source) -> Iterator[tuple[int, str]]:
    """Yield line and full name of every module that the file imports, also inside functions."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module


def environment_is_read_in_settings(source: Source) -> list[str]:
    """Only settings.py reads the environment, itself or through pydantic-settings."""
    if source.path.name == "settings.py":
        return []
    found: list[str] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            found += [f"line {node.lineno}: os.{node.attr}"] if _is_environment(node.attr) else []
        elif isinstance(node, ast.ImportFrom) and node.module in {"os", "pydantic_settings", "dotenv"}:
            names = [alias.name for alias in node.names]
            wrong = [name for name in names if node.module != "os" or _is_environment(name)]
            found += [f"line {node.lineno}: from {node.module} import {name}" for name in wrong]
    return found


def _is_environment(name: str) -> bool:
    return name.removesuffix("b") in {"environ", "getenv", "putenv", "unsetenv"}


def exceptions_are_named(source: Source) -> list[str]:
    """Only the chassis catches every exception, unless the handler raises it again."""
    if source.package == "chassis" or source.path in RUNS_AGENT_CODE:
        return []
    handlers = [node for node in ast.walk(source.tree) if isinstance(node, ast.ExceptHandler)]
    return [
        f"line {handler.lineno}: catches every exception"
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


def file_is_short(source: Source) -> list[str]:
    """Files have at most `MAX_FILE_LINES` lines."""
    lines = len(source.text.splitlines())
    return [f"{lines} lines, at most {MAX_FILE_LINES}: split it"] if lines > MAX_FILE_LINES else []


def name_is_specific(source: Source) -> list[str]:
    """Modules and folders have no name that could hold anything."""
    if source.path.is_relative_to(AGENT_UTILS):
        return []
    names = {*source.path.parts[:-1], source.path.stem} & VAGUE_NAMES
    return [f"{name} could hold anything" for name in sorted(names)]


def name_is_a_noun(source: Source) -> list[str]:
    """Modules and folders are named by nouns of the field, functions by verbs."""
    names = [*source.path.parts[:-1], source.path.stem]
    last_words = {re.split(r"[_-]", name)[-1] for name in names}
    gerunds = {word for word in last_words if word.endswith("ing") and len(word) > len("string")}
    return [f"{word}: name the module by a noun" for word in sorted(gerunds - set(GERUNDS))]


def library_is_imported_by_its_owner(source: Source) -> list[str]:
    """A library of `OWNERS` is imported by its owner alone."""
    return [
        f"line {line}: {module} belongs to {owners}"
        for line, module in imported_modules(source)
        if (owners := OWNERS.get(module.partition(".")[0])) is not None and source.package not in owners.split()
    ]


def product_imports_only_product(source: Source) -> list[str]:
    """The product imports neither tests nor measurements nor tools."""
    return [
        f"line {line}: {module} is not part of the product"
        for line, module in imported_modules(source)
        if module.partition(".")[0] in {"perf", "tests", "tools"}
    ]


def measurement_imports_only_test_support(source: Source) -> list[str]:
    """Measurements and tools may use the clusters and fakes of tests/support, and no test."""
    return [
        f"line {line}: {module} is not test support"
        for line, module in imported_modules(source)
        if module.partition(".")[0] == "tests" and not f"{module}.".startswith("tests.support.")
    ]


def contracts_are_pure(source: Source) -> list[str]:
    """contracts imports itself, pydantic and the standard library."""
    allowed = {"contracts", "pydantic", *sys.stdlib_module_names}
    return [
        f"line {line}: {module}"
        for line, module in imported_modules(source)
        if source.package == "contracts" and module.partition(".")[0] not in allowed
    ]


def machine_paths(text: str) -> list[str]:
    """Return the lines with a path that exists on one machine only."""
    return [
        f"line {number}: {found.group()}"
        for number, line in enumerate(text.splitlines(), 1)
        for found in [re.search("|".join(MACHINE_PATHS), line)]
        if found
    ]
