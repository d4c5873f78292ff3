"""Variables that a cell created, changed or deleted, in one line each, whatever objects an agent makes."""
# The types of an agent's values are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any, Literal

import numpy
from contracts.model import Model
from contracts.models.observation import Variable
from contracts.text import shortened, storable

from kernel.api.pricing import Pricing
from kernel.api.simulation_run import SimulationRun
from kernel.api.time_series import Series
from kernel.checker.rules import ALLOWED_MODULES
from kernel.runtime.fingerprints import Fingerprinter, is_a, module_name, type_name

MAX_VARIABLES = 40
_NAME_CHARS = 60
_MISSING = object()


@dataclass(frozen=True)
class Description:
    """Summary of an object, and the content that goes into its fingerprint."""

    summary: str
    content: bytes


Describer = Callable[[object], Description | None]
"""Describes an object of a type it knows (a CAD part, say), else returns None."""


@dataclass(frozen=True)
class _State:
    """A variable as it was after a cell."""

    type: str
    fingerprint: str
    identity: int
    """Id of the object if the fingerprint does not cover all of it; else 0."""


@dataclass(frozen=True)
class VariableChanges:
    """Variables that are new, changed or lost."""

    variables: tuple[Variable, ...] = ()
    """At most `MAX_VARIABLES`."""
    left_out: int = 0
    """Number of further changes."""


class VariableWatch:
    """Compares the namespace after each cell with that after the one before."""

    def __init__(self, describers: tuple[Describer, ...] = (), ignored: frozenset[str] = frozenset()) -> None:
        self._describers = describers
        self._ignored = ignored
        self._states: dict[str, _State] = {}

    def changes(self, namespace: Mapping[str, object]) -> VariableChanges:
        """Return the changes since the last call. None of the agent's own code runs."""
        fingerprinter = Fingerprinter(self._content)
        libraries = _libraries()
        states: dict[str, _State] = {}
        changed: list[tuple[str, object]] = []
        for name, value in list(namespace.items()):
            if name.startswith("_") or name in self._ignored or _is_imported(name, value, libraries):
                continue
            states[name] = _state(fingerprinter, value)
            if self._states.get(name) != states[name]:
                changed.append((name, value))
        lost = [name for name in self._states if name not in states]
        found = [
            _variable(name, states[name], "changed" if name in self._states else "new", self._summary(value))
            for name, value in changed[:MAX_VARIABLES]
        ]
        found += [_variable(name, self._states[name], "lost", "") for name in lost[: MAX_VARIABLES - len(found)]]
        self._states = states
        return VariableChanges(tuple(found), len(changed) + len(lost) - len(found))

    def _summary(self, value: object) -> str:
        with suppress(BaseException):  # memory may be short, and a thread of the agent's may be changing the value
            description = self._description(value)
            return shortened(storable(description.summary if description else summary_of(value)), SUMMARY_CHARS)
        return "(cannot be described)"

    def _description(self, value: object) -> Description | None:
        return next((found for describe in self._describers if (found := describe(value)) is not None), None)

    def _content(self, value: object) -> bytes | None:
        description = self._description(value)
        return None if description is None else description.content


def _state(fingerprinter: Fingerprinter, value: object) -> _State:
    kind = shortened(storable(type_name(type(value))), _NAME_CHARS)
    with suppress(BaseException):  # as above
        fingerprint, is_complete = fingerprinter.fingerprint(value)
        return _State(kind, fingerprint, 0 if is_complete else id(value))
    return _State(kind, "", id(value))


def _variable(name: str, state: _State, change: Literal["new", "changed", "lost"], summary: str) -> Variable:
    return Variable(
        name=shortened(storable(name), _NAME_CHARS),
        type=state.type,
        summary=summary,
        change=change,
        fingerprint=state.fingerprint,
    )


def _libraries() -> list[dict[str, object]]:
    modules = (sys.modules.get(name) for name in ALLOWED_MODULES)
    return [module.__dict__ for module in modules if isinstance(module, ModuleType)]


def _is_imported(name: str, value: object, libraries: list[dict[str, object]]) -> bool:
    """Tell whether the name was bound by an import, also a star import, rather than by an assignment."""
    if is_a(value, ModuleType):
        return True
    if is_a(value, type) and module_name(value) != "__main__":  # pyright: ignore[reportArgumentType] - a class
        return True
    return any(library.get(name, _MISSING) is value for library in libraries)


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
    if type(value) is Series or type(value) is Pricing:
        return repr(value)
    if is_a(value, Model) and module_name(type(value)).startswith(("contracts.", "kernel.api.reviews.")):
        return str(value)
    return "callable" if callable(value) else ""
