"""The walk through one engineer step names what there is."""

import ast
import re
from itertools import groupby

import pytest

from tests.architecture.repository import ROOT

_SECTION = re.compile(r"## One engineer step\n(.*?)\n## ", re.DOTALL)
_LINK = re.compile(r"\[([\w.]+)\]\(\.\./([^)]+\.py)\)")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _links() -> dict[str, list[str]]:
    """Return the names that the walk links to, by file."""
    section = _SECTION.search((ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert section is not None
    links = sorted((file, name) for name, file in _LINK.findall(section[1]))
    return {file: [name for _, name in group] for file, group in groupby(links, key=lambda link: link[0])}


def _definitions(file: str) -> set[str]:
    """Return the names of functions and classes of a file, of methods as `Class.method`."""
    top = [node for node in ast.parse((ROOT / file).read_text("utf-8")).body if isinstance(node, _DEFINITIONS)]
    methods = {
        f"{node.name}.{each.name}"
        for node in top
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, _DEFINITIONS)
    }
    return {node.name for node in top} | methods


@pytest.mark.parametrize(("file", "names"), _links().items())
def test_walk_names_definitions_of_the_linked_file(file: str, names: list[str]):
    assert set(names) - _definitions(file) == set()
