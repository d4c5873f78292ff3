"""The actual wiring of the services, and the events that their source code creates."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints
from unittest.mock import patch

from chassis.app import App
from contracts.envelope import ROLES, SERVICES, Event, Role, Service
from contracts.publishers import CLIENTS, may_publish
from contracts.registry import EVENTS
from local_stack.service_apps import build_detached_apps

from tests.architecture.repository import ROOT

Method = Literal["answers", "subscribes", "schedules", "repeats"]
"""The methods of `App` that connect a class of event to a handler."""
KERNEL_IMPORT = re.compile(r"from agent\.kernel_session\.(\w+) import")
LIBRARIES: dict[str, tuple[str, ...]] = {"cad-worker": ("kernel-host", "question-kernel")}
"""By service: the libraries whose handlers and tools publish in its name."""
BY_NAME = {event.__name__: event for event in EVENTS}


@dataclass(frozen=True)
class Route:
    """One line of an `app.py`: which event reaches which handler."""

    service: str
    method: Method
    event: type[Event]
    role: Role | None
    handler: Callable[..., Any]


@cache
def routes() -> tuple[Route, ...]:
    """Return the routes of all services, recorded while their apps are built; no app is started."""
    recorded: list[Route] = []
    with ExitStack() as patches:
        for method in get_args(Method):
            patches.enter_context(patch.object(App, method, _recording(method, recorded)))
        build_detached_apps()
    return tuple(recorded)


def _recording(method: Method, recorded: list[Route]) -> Callable[..., None]:
    original = getattr(App, method)

    def record(app: App, event: type[Event], *positional: object, **named: object) -> None:
        arguments = inspect.signature(original).bind(app, event, *positional, **named).arguments
        recorded.append(Route(app.name, method, event, arguments.get("role"), arguments["handler"]))
        original(app, event, *positional, **named)

    return record


def publishers_of(event: type[Event]) -> tuple[Service, ...]:
    """Return the services that may publish an event."""
    return tuple(service for service in SERVICES if event in may_publish(service))


def declared_outcomes(handler: Callable[..., Any]) -> set[type[Event]]:
    """Return the classes in a handler's return annotation; plain `Event` declares nothing."""
    while isinstance(handler, partial):
        handler = handler.func
    return set(_event_classes(get_type_hints(handler)["return"])) - {Event}


def _event_classes(hint: object) -> Iterator[type[Event]]:
    parts = cast("tuple[object, ...]", get_args(hint) or (hint,))
    for part in parts:
        if isinstance(part, type) and issubclass(part, Event):
            yield part
        elif get_origin(part) is not None:
            yield from _event_classes(cast("object", part))


@dataclass(frozen=True)
class SourceEvents:
    """The event classes that source code names, by what it does with them."""

    answered: frozenset[type[Event]]
    """`X(**answering(...))`"""
    decided: frozenset[type[Event]]
    """`X(**deciding(...))`, `X(**during(...))`, `X(**step_events.next())`, or `X(...)`"""
    served: frozenset[type[Event]]
    """`{X: handler, ...}`: requests that are answered thread by thread, by `App.serve_thread`."""

    @property
    def created(self) -> frozenset[type[Event]]:
        """All classes of events that the code creates."""
        return self.answered | self.decided


@cache
def source_events(service: Service) -> SourceEvents:
    """Return the event classes in a service's source; the code that roles or clients share counts for each of them.

    A module of kernel sessions counts for the roles that import it, by whatever way.

    The recorder serves none: its tables say what it counts of the events, all of which it records.
    """
    package = "apps/cli" if service == "cli" else f"services/{service}"
    shared = {**dict.fromkeys(ROLES, ("agent",)), **dict.fromkeys(CLIENTS, ("run-requests",)), **LIBRARIES}
    folders = [ROOT / package / "src", *(ROOT / "libs" / name / "src" for name in shared.get(service, ()))]
    texts = {path: path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py")}
    own = "".join(text for path, text in texts.items() if path.is_relative_to(folders[0]))
    kernel_modules = {path.stem: text for path, text in texts.items() if path.parent.name == "kernel_session"}
    used = _used_modules(own, kernel_modules)
    nodes = [
        node
        for path, text in texts.items()
        if path.parent.name != "kernel_session" or path.stem in used
        for node in ast.walk(ast.parse(text))
    ]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return SourceEvents(
        answered=frozenset(event for call in calls for event in _named_event(call.func) if _is_answer(call)),
        decided=frozenset(event for call in calls for event in _named_event(call.func) if not _is_answer(call)),
        served=frozenset(event for node in nodes for event in _table_keys(node) if service != "recorder"),
    )


def _used_modules(text: str, modules: Mapping[str, str]) -> set[str]:
    """Return the modules of kernel sessions that a text imports, and those that these import."""
    used: set[str] = set()
    found = KERNEL_IMPORT.findall(text)
    while found:
        name = found.pop()
        if name not in used:
            used.add(name)
            found += KERNEL_IMPORT.findall(modules[name])
    return used


def _is_answer(call: ast.Call) -> bool:
    return any(keyword.arg is None and _is_answering(keyword.value) for keyword in call.keywords)


def _is_answering(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "answering"


def _table_keys(node: ast.AST) -> Iterator[type[Event]]:
    """Yield the keys of a table from requests to handlers, but not of one from events to constants such as roles."""
    if isinstance(node, ast.Dict) and not any(isinstance(value, ast.Constant) for value in node.values):
        for key in node.keys:
            yield from _named_event(key) if key is not None else ()


def _named_event(node: ast.expr) -> Iterator[type[Event]]:
    if isinstance(node, ast.Name) and node.id in BY_NAME:
        yield BY_NAME[node.id]
