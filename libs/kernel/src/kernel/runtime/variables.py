"""Variables that a cell created, changed or deleted, in one line each, whatever objects an agent makes."""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from contracts.models.observation import Variable
from contracts.text import shortened, storable

from kernel.checker.rules import ALLOWED_MODULES
from kernel.runtime.fingerprints import Fingerprinter
from kernel.runtime.inspection import is_a, module_name, type_name
from kernel.runtime.value_summaries import SUMMARY_CHARS, summary_of

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
