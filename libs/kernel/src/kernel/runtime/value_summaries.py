"""One-line summaries of variables other than CAD objects. No code of the agent's own classes runs."""

# The types of an agent's values are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections import deque
from itertools import islice
from types import FunctionType
from typing import Any

import numpy
from contracts.model import Model

from kernel.api.simulation_run import SimulationRun
from kernel.api.time_series import Series
from kernel.runtime.inspection import is_a, module_name, type_name

SUMMARY_CHARS = 160
_MANY_BITS = 400
_MEASURED_BYTES = 64 << 20
"""Of larger arrays, minimum and maximum are not computed."""
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_PLAIN = frozenset((bool, float, str, type(None)))
_FEW = 8


def summary_of(value: Any) -> str:  # noqa: ANN401 - anything
    """Return a value's type-specific summary; empty if only code of its own class could provide one."""
    for container in _CONTAINERS:
        if is_a(value, container):
            return _container(value, container)
    if is_a(value, numpy.ndarray):
        return _array(numpy.ndarray.view(value, numpy.ndarray))
    return _one(value, type(value))


def _one(value: Any, kind: type) -> str:  # noqa: ANN401 - anything
    if kind is int:
        return _int(value)
    if kind is str:
        return _text(value)
    if kind in (bool, float, complex, type(None)) or (is_a(value, numpy.generic) and module_name(kind) == "numpy"):
        return str(value)
    return _other(value)


def _int(value: int) -> str:
    bits = value.bit_length()
    return str(value) if bits <= _MANY_BITS else f"an integer of {bits} bits"


def _text(value: str) -> str:
    shown = repr(value[:SUMMARY_CHARS])
    return shown if len(value) <= SUMMARY_CHARS // 2 else f"{len(value)} characters {shown}"


def _array(array: "numpy.ndarray[Any, Any]") -> str:
    text = f"shape={array.shape}, dtype={array.dtype}"
    if not array.size or array.dtype.kind not in "iuf" or array.nbytes > _MEASURED_BYTES:
        return text
    if array.size <= _FEW:
        values = ", ".join(f"{each:.6g}" for each in array.reshape(-1))
        return f"{text}, [{values}]"
    return f"{text}, from {array.min():.6g} to {array.max():.6g}"


def _container(value: Any, kind: Any) -> str:  # noqa: ANN401 - any container of anything
    count: int = kind.__len__(value)
    pairs = list(islice(dict.items(value), _FEW)) if kind is dict else []
    items = [each for pair in pairs for each in pair] if kind is dict else list(islice(kind.__iter__(value), _FEW))
    if count <= _FEW and type(value) is kind and all(_is_plain(each) for each in items):
        return f"{count} items {value!r}"
    values = items[1::2] if kind is dict else items
    names = dict.fromkeys(type_name(type(each)) for each in values)
    return f"{count} items of {', '.join(names)}" if names else f"{count} items"


def _is_plain(value: object) -> bool:
    if type(value) is int:
        return value.bit_length() <= _MANY_BITS
    return type(value) in _PLAIN or (is_a(value, numpy.generic) and module_name(type(value)) == "numpy")


def _other(value: Any) -> str:  # noqa: ANN401 - anything
    if type(value) is FunctionType:
        code = value.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return f"function ({', '.join(names)})"
    if is_a(value, type):
        return "class"
    if type(value) is SimulationRun:
        return value.one_line
    if type(value) is Series:
        return repr(value)
    if is_a(value, Model) and module_name(type(value)).startswith(("contracts.", "kernel.api.reviews.")):
        return str(value)
    return "callable" if callable(value) else ""
