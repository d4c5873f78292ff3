"""The walk through one engineer step names what there is, and stays short."""

import ast
import re
from functools import cached_property
from itertools import groupby
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT

MAX_FILES = 45
MAX_LINES = 4500
"""Half of what a reader had to open when this was first counted: about 90 files with 9,119 lines."""
_SECTION = re.compile(r"## One engineer step\n(.*?)\n## ", re.DOTALL)
_LINK = re.compile(r"\[([\w.]+)\]\(\.\./([^)]+\.py)\)")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Module:
    """The definitions of one file."""

    def __init__(self, path: Path) -> None:
        self._tree = ast.parse(path.read_text("utf-8"))

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """Functions and classes by name, methods as `Class.method`."""
        found: dict[str, Definition] = {}
        for node in self._tree.body:
            if isinstance(node, Definition):
                found[node.name] = node
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, Definition)}
        return found

    def lines_to_read(self, names: list[str]) -> set[int]:
        """Return the lines of definitions and of all that they use from the same file."""
        waiting, seen, lines = list(names), set[str](), set[int]()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                node = self.definitions[name]
                assert node.end_lineno is not None
                lines |= set(range(node.lineno, node.end_lineno + 1))
                waiting += self._used_by(name)
        return lines

    def _used_by(self, name: str) -> list[str]:
        owner = name.split(".", maxsplit=1)[0]
        used: list[str] = []
        for node in ast.walk(self.definitions[name]):
            if isinstance(node, ast.Name):
                used.append(node.id)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
                used.append(f"{owner}.{node.attr}")
        return [each for each in used if each in self.definitions]


def _links() -> dict[str, list[str]]:
    """Return the names that the walk links to, by file."""
    section = _SECTION.search((ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert section is not None
    links = sorted((file, name) for name, file in _LINK.findall(section[1]))
    return {file: [name for _, name in group] for file, group in groupby(links, key=lambda link: link[0])}


@pytest.mark.parametrize(("file", "names"), _links().items())
def test_walk_names_definitions_of_the_linked_file(file: str, names: list[str]):
    assert [name for name in names if name not in Module(ROOT / file).definitions] == []


def test_walk_is_half_of_what_it_was():
    files = _links()
    lines = sum(len(Module(ROOT / file).lines_to_read(names)) for file, names in files.items())
    assert len(files) <= MAX_FILES
    assert lines <= MAX_LINES
