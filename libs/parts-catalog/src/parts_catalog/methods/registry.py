"""All manufacturing methods by their id.

A module with `MethodFacts`, of this folder or of one in it, adds a method; so does a package with an entry point in
the group `millwright.methods`, which names a folder with `MODULES`.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages
from types import ModuleType
from typing import get_args

from contracts.extensions import ExtensionError, extensions, load_extension
from contracts.models.design import BuiltInMethod, Method

from parts_catalog import methods
from parts_catalog.methods.method import MethodFacts

MODULES = ("facts", "prices", "bench")
"""Of a package's method; they have `FACTS`, `estimate` and `BENCH`."""


def _built_in() -> Iterator[MethodFacts]:
    for found in walk_packages(methods.__path__, f"{methods.__name__}."):
        if found.name != __name__:
            yield from (each for each in vars(import_module(found.name)).values() if isinstance(each, MethodFacts))


def package_modules(name: str) -> Iterator[tuple[Method, ModuleType]]:
    """Yield the module of this name, with the method it belongs to, of each package that adds one."""
    for point in extensions("millwright.methods").values():
        folder = load_extension(point)
        if not isinstance(folder, ModuleType) or not hasattr(folder, "__path__"):
            raise ExtensionError(point, "that is not a folder of modules")
        missing = [each for each in MODULES if find_spec(f"{folder.__name__}.{each}") is None]
        if missing:
            raise ExtensionError(point, f"the folder has no {missing[0]}.py; it takes {', '.join(MODULES)}")
        facts = import_module(f"{folder.__name__}.facts").FACTS
        yield facts.id, import_module(f"{folder.__name__}.{name}")


_BY_ID = {facts.id: facts for facts in _built_in()}
METHODS: dict[Method, MethodFacts] = {
    **{method: _BY_ID[method] for method in get_args(BuiltInMethod)},
    **{method: module.FACTS for method, module in package_modules("facts")},
}
