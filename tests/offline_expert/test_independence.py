"""Independence: the expert imports no other package and knows no benchmark."""

import ast
import sys
from pathlib import Path

import offline_expert

from tests.suite.worlds import DRIVEN, FAMILIES

HERE = Path(offline_expert.__file__).parent


def test_expert_imports_only_langchain_and_standard_library_and_the_search_its_optimiser() -> None:
    allowed = {*sys.stdlib_module_names, "langchain_core"}
    foreign = {
        f"{path.name}: {name}"
        for path in HERE.rglob("*.py")
        for name in _imported(path)
        if name.partition(".")[0] not in allowed and not name.startswith("offline_expert")
    }
    assert foreign == {"search.py: cma"}


def test_expert_never_mentions_a_benchmark() -> None:
    for path in HERE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for family in (*FAMILIES, *DRIVEN):
            assert family not in text


def _imported(path: Path) -> list[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return names
