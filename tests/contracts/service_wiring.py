"""What the services do in truth: as they are wired, and as their source has it."""

import ast
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints
from unittest.mock import patch

from chassis.app import App
from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded
from contracts.publishers import ROLES, Service
from contracts.registry import EVENTS
from local_stack.service_apps import build_detached_apps

from tests.architecture.repository import ROOT

Manner = Literal["answers", "hears", "reminds", "watches"]
BY_NAME = {event.__name__: event for event in EVENTS}


@dataclass(frozen=True)
class Wire:
    """One line of an `app.py`: which event reaches which handler."""

    service: str
    manner: Manner
    event: type[Event]
    role: Role | None
    handler: Callable[..., Any]


@cache
def wires() -> tuple[Wire, ...]:
    """Return how all services are wired, by making their apps and opening none."""
    seen: list[Wire] = []
    with ExitStack() as patched:
        for manner in get_args(Manner):
            patched.enter_context(patch.object(App, manner, _spy(manner, seen)))
        build_detached_apps()
    return tuple(seen)


def _spy(manner: Manner, seen: list[Wire]) -> Callable[..., None]:
    original = getattr(App, manner)

    def spy(app: App, event: type[Event], *rest: object, **more: object) -> None:
        given = inspect.signature(original).bind(app, event, *rest, **more).arguments
        seen.append(Wire(app.name, manner, event, given.get("role"), given["handler"]))
        original(app, event, *rest, **more)

    return spy


def returned(handler: Callable[..., Any]) -> set[type[Event]]:
    """Return the classes that a handler declares to return; `Event` itself is as good as none."""
    while isinstance(handler, partial):
        handler = handler.func
    return set(_classes(get_type_hints(handler)["return"])) - {Event}


def _classes(hint: object) -> Iterator[type[Event]]:
    parts = cast("tuple[object, ...]", get_args(hint) or (hint,))
    for each in parts:
        if isinstance(each, type) and issubclass(each, Event):
            yield each
        elif get_origin(each) is not None:
            yield from _classes(cast("object", each))


@dataclass(frozen=True)
class Words:
    """The event classes that some source names, by what it does with them."""

    answered: frozenset[type[Event]]
    """`X.answering(...)`"""
    decided: frozenset[type[Event]]
    """`X.deciding(...)`, `X.during(...)`, `pen.write(X, ...)`, or `X(...)`"""
    attended: frozenset[type[Event]]
    """`{X: handler, ...}`: whose requests are answered thread by thread."""

    @property
    def written(self) -> frozenset[type[Event]]:
        """All that is made here."""
        return self.answered | self.decided


@cache
def words_of(service: Service) -> Words:
    """Return what the source of a service says; what all roles share counts as each role's."""
    package = "apps/cli" if service == "cli" else f"services/{service}"
    folders = [ROOT / package / "src", *([ROOT / "libs/agent/src"] if service in ROLES else [])]
    nodes = [
        node
        for folder in folders
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    ]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return Words(
        answered=frozenset(event for call in calls for event in _answered(call)),
        decided=frozenset(event for call in calls for event in _decided(call)),
        attended=frozenset(event for node in nodes for event in _keys(node)),
    )


def _answered(call: ast.Call) -> Iterator[type[Event]]:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "answering":
        yield from _named(call.func.value)


def _decided(call: ast.Call) -> Iterator[type[Event]]:
    yield from _named(call.func)
    if not isinstance(call.func, ast.Attribute):
        return
    if call.func.attr in {"deciding", "during"}:
        yield from _named(call.func.value)
    elif call.func.attr == "note":  # of a pen: said by whoever calls it, though the pen writes it
        yield JournalEntryAdded
    elif call.func.attr == "write" and call.args and not _is_self(call.func.value):
        yield from _named(call.args[0])


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _keys(node: ast.AST) -> Iterator[type[Event]]:
    """Yield the keys of a table from requests to handlers; a table from events to roles is none."""
    if isinstance(node, ast.Dict) and not any(isinstance(value, ast.Constant) for value in node.values):
        for key in node.keys:
            yield from _named(key) if key is not None else ()


def _named(node: ast.expr) -> Iterator[type[Event]]:
    if isinstance(node, ast.Name) and node.id in BY_NAME:
        yield BY_NAME[node.id]
