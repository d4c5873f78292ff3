"""What a cell left behind in the namespace, in one line each. Survives every object an agent can make."""

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from contracts.session import Variable

from kernel.checking.tables import ALLOWED_MODULES
from kernel.foreign import Foreign
from kernel.storable import shortened, storable

MAX_VARIABLES = 40
SUMMARY_CHARS = 160
_NOWHERE = object()

Describer = Callable[[object], str | None]
"""Describes an object it knows (a CAD part, say), else returns None."""


class VariableWatch:
    """Remembers what was there after the last cell, to tell what is new or changed."""

    def __init__(self, describers: tuple[Describer, ...] = (), ignored: frozenset[str] = frozenset()) -> None:
        self._describers = describers
        self._ignored = ignored
        self._known: dict[str, tuple[int, str]] = {}

    def look(self, namespace: Mapping[str, object]) -> tuple[Variable, ...]:
        """Return the variables that are new or have changed since the last look, at most `MAX_VARIABLES`."""
        now: dict[str, tuple[int, str]] = {}
        seen: list[Variable] = []
        for name, value in list(namespace.items()):
            if name.startswith("_") or name in self._ignored or _is_imported(name, value):
                continue
            summary = self._summary(value)
            now[name] = (id(value), summary)
            before = self._known.get(name)
            if before != now[name]:
                kind = _type_name(value)
                change = "new" if before is None else "changed"
                seen.append(Variable(name=storable(name), type=kind, summary=summary, change=change))
        self._known = now
        return tuple(seen[:MAX_VARIABLES])

    def _summary(self, value: object) -> str:
        with Foreign() as foreign:
            for describe in (*self._describers, _describe_array, _describe_plain):
                text = describe(value)
                if text is not None:
                    return shortened(storable(text), SUMMARY_CHARS)
        if isinstance(foreign.error, KeyboardInterrupt):
            raise foreign.error
        return "(cannot be described)" if foreign.error else ""


def _is_imported(name: str, value: object) -> bool:
    """Tell whether an import brought it, a star import too, rather than an assignment."""
    if isinstance(value, ModuleType | type):
        return True
    modules = (sys.modules.get(each) for each in ALLOWED_MODULES)
    return any(module is not None and module.__dict__.get(name, _NOWHERE) is value for module in modules)


def _type_name(value: object) -> str:
    return shortened(storable(type(value).__name__), 60)


def _describe_array(value: object) -> str | None:
    if type(value).__module__ != "numpy" or type(value).__name__ != "ndarray":
        return None
    array: Any = value
    text = f"shape={array.shape}, dtype={array.dtype}"
    return f"{text}, from {array.min():.6g} to {array.max():.6g}" if array.size and array.dtype.kind in "iuf" else text


def _describe_plain(value: object) -> str | None:
    kind = type(value)
    if kind in (bool, int, float, complex, type(None)):
        return repr(value)
    if isinstance(value, str):
        return repr(value[:SUMMARY_CHARS])
    if isinstance(value, list | tuple | dict | set | frozenset):
        few = repr(value) if _is_plain(value) else ""  # pyright: ignore[reportUnknownArgumentType] - any content
        return f"{len(value)} items {few}".rstrip()  # pyright: ignore[reportUnknownArgumentType] - any content
    if callable(value):
        return "callable"
    return None


def _is_plain(value: object) -> bool:
    """Tell whether a container is short and holds only plain values, so that showing it is cheap and safe."""
    if isinstance(value, dict):
        items = [*value.keys(), *value.values()]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - any content
    elif isinstance(value, list | tuple | set | frozenset):
        items = list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - any content
    else:
        return False
    plain = (bool, int, float, str, type(None))
    return len(items) <= 8 and all(type(each) in plain for each in items)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - any content
