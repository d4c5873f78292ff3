"""All workbenches, by their method: a folder whose module `bench` has a `BENCH` adds one, here or in a package."""

from importlib import import_module
from pkgutil import iter_modules

from contracts.models.design import Method
from parts_catalog.methods.registry import METHODS, package_modules

import workbenches
from workbenches.interface import Workbench

_FOLDERS = [found.name for found in iter_modules(workbenches.__path__) if found.ispkg]
_MODULES = [import_module(f"{workbenches.__name__}.{folder}.bench") for folder in _FOLDERS]
_BENCHES: list[Workbench] = [module.BENCH for module in (*_MODULES, *(each for _, each in package_modules("bench")))]
_BY_METHOD = {bench.method: bench for bench in _BENCHES}
WORKBENCHES: dict[Method, Workbench] = {method: _BY_METHOD[method] for method in METHODS}
