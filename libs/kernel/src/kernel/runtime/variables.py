"""What a cell left behind in the namespace, in one line each. Survives every object an agent can make."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from contracts.models.observation import Variable
from contracts.text import shortened, storable

from kernel.checker.tables import ALLOWED_MODULES
from kernel.runtime.fingerprints import Fingerprinter
from kernel.runtime.foreign_code import Foreign
from kernel.runtime.inspection import is_a, module_name, type_name
from kernel.runtime.value_summaries import SUMMARY_CHARS, summary_of

MAX_VARIABLES = 40
_NAME_CHARS = 60
_NOWHERE = object()


@dataclass(frozen=True)
class Description:
    """How an object reads, and what of it goes into its fingerprint."""

    summary: str
    content: bytes


Describer = Callable[[object], Description | None]
"""Describes an object it knows (a CAD part, say), else returns None."""


@dataclass(frozen=True)
class _Known:
    """A variable as it was at the last look."""

    type: str
    fingerprint: str
    identity: int
    """Which object it was, where the fingerprint does not tell all; else 0."""


@dataclass(frozen=True)
class Look:
    """What is new, changed or lost since the look before."""

    variables: tuple[Variable, ...] = ()
    """At most `MAX_VARIABLES`."""
    left_out: int = 0
    """How many more there are."""


class VariableWatch:
    """Remembers what was there after the last cell, to tell what is new, changed or lost."""

    def __init__(self, describers: tuple[Describer, ...] = (), ignored: frozenset[str] = frozenset()) -> None:
        self._describers = describers
        self._ignored = ignored
        self._known: dict[str, _Known] = {}

    def look(self, namespace: Mapping[str, object]) -> Look:
        """Compare the namespace with what it was at the last look. No code of the agent's runs."""
        fingerprinter = Fingerprinter(self._content)
        libraries = _libraries()
        now: dict[str, _Known] = {}
        touched: list[tuple[str, object]] = []
        for name, value in list(namespace.items()):
            if name.startswith("_") or name in self._ignored or _is_imported(name, value, libraries):
                continue
            now[name] = _known(fingerprinter, value)
            if self._known.get(name) != now[name]:
                touched.append((name, value))
        lost = [name for name in self._known if name not in now]
        seen = [self._variable(name, value, now[name]) for name, value in touched[:MAX_VARIABLES]]
        seen += [_lost(name, self._known[name]) for name in lost[: MAX_VARIABLES - len(seen)]]
        self._known = now
        return Look(tuple(seen), len(touched) + len(lost) - len(seen))

    def _variable(self, name: str, value: object, known: _Known) -> Variable:
        return Variable(
            name=shortened(storable(name), _NAME_CHARS),
            type=known.type,
            summary=self._summary(value),
            change="changed" if name in self._known else "new",
            fingerprint=known.fingerprint,
        )

    def _summary(self, value: object) -> str:
        with Foreign():  # memory may be short, and a thread of the agent's may be at work on the value
            described = self._described(value)
            return shortened(storable(described.summary if described else summary_of(value)), SUMMARY_CHARS)
        return "(cannot be described)"

    def _described(self, value: object) -> Description | None:
        return next((found for each in self._describers if (found := each(value)) is not None), None)

    def _content(self, value: object) -> bytes | None:
        described = self._described(value)
        return None if described is None else described.content


def _known(fingerprinter: Fingerprinter, value: object) -> _Known:
    kind = shortened(storable(type_name(type(value))), _NAME_CHARS)
    with Foreign():  # as above
        fingerprint, is_whole = fingerprinter.fingerprint(value)
        return _Known(kind, fingerprint, 0 if is_whole else id(value))
    return _Known(kind, "", id(value))


def _lost(name: str, known: _Known) -> Variable:
    return Variable(
        name=shortened(storable(name), _NAME_CHARS),
        type=known.type,
        summary="",
        change="lost",
        fingerprint=known.fingerprint,
    )


def _libraries() -> list[dict[str, object]]:
    modules = (sys.modules.get(each) for each in ALLOWED_MODULES)
    return [module.__dict__ for module in modules if isinstance(module, ModuleType)]


def _is_imported(name: str, value: object, libraries: list[dict[str, object]]) -> bool:
    """Tell whether an import brought it, a star import too, rather than an assignment."""
    if is_a(value, ModuleType):
        return True
    if is_a(value, type) and module_name(value) != "__main__":  # pyright: ignore[reportArgumentType] - a class
        return True
    return any(library.get(name, _NOWHERE) is value for library in libraries)
