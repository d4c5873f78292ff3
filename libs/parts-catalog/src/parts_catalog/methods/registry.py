"""All manufacturing methods by their id: a module with `MethodFacts`, of this folder or of one in it, adds a method."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import get_args

from contracts.models.design import Method

from parts_catalog import methods
from parts_catalog.methods.method import MethodFacts


def _declared() -> Iterator[MethodFacts]:
    for found in walk_packages(methods.__path__, f"{methods.__name__}."):
        if found.name != __name__:
            yield from (each for each in vars(import_module(found.name)).values() if isinstance(each, MethodFacts))


_BY_ID = {facts.id: facts for facts in _declared()}
METHODS: dict[Method, MethodFacts] = {method: _BY_ID[method] for method in get_args(Method)}
