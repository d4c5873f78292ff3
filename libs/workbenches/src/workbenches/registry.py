"""All workbenches, by their method: a folder whose module `bench` has a `BENCH` adds one."""

from importlib import import_module
from pkgutil import iter_modules
from typing import get_args

from contracts.models.design import Method

import workbenches
from workbenches.interface import Workbench

_FOLDERS = [found.name for found in iter_modules(workbenches.__path__) if found.ispkg]
_BENCHES: list[Workbench] = [import_module(f"{workbenches.__name__}.{folder}.bench").BENCH for folder in _FOLDERS]
_BY_METHOD = {bench.method: bench for bench in _BENCHES}
WORKBENCHES: dict[Method, Workbench] = {method: _BY_METHOD[method] for method in get_args(Method)}
