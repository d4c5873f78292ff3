"""Pages of references, each name with its signature, what it does, and what its parameters mean."""

# pyright: reportUnknownArgumentType=false
# Anything that build123d has may be looked at here.

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from importlib.metadata import version
from typing import Any

import build123d

from perf.references.names import PAGES, Page

EVERYWHERE = {"mode", "rotation", "align"}
"""Parameters that mean the same wherever they stand; told once, under their enumerations."""
_CONSTANTS = {
    f"{owner.__name__}.{name}": getattr(owner, name)
    for owner, names in ((build123d.Axis, "XYZ"), (build123d.Plane, ("XY", "XZ", "YZ")))
    for name in names
}
_TITLE_WORDS = 5
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Example|Examples|Note|Notes|Attributes|Keyword Args):?\s*$")
_PARAMETER = re.compile(r"^(?P<name>\**\w+)\s*(\((?P<type>.*?)\))?:\s*(?P<says>.*)$")


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its file name."""
    return {name: _page(page) for name, page in PAGES.items()}


def _page(page: Page) -> str:
    head = f"# {page.title}\n\nbuild123d {version('build123d')}. {page.says}"
    return "\n\n".join([head, *(_entry(name) for name in page.names)]) + "\n"


def _entry(name: str) -> str:
    thing = _find(name)
    if isinstance(thing, type) and issubclass(thing, Enum):
        members = ", ".join(f"`{member}`" for member in thing.__members__)
        return f"## {name}\n\n{_summary(thing)} {members}"
    lines = [f"`{name}{_signature(thing)}`" if callable(thing) else f"`{name}` (no call)", "", _summary(thing)]
    told = [f"- `{parameter}`: {says}" for parameter, says in _parameters(thing)]
    return "\n".join([f"## {name}", "", *lines, *([""] if told else []), *told])


def _find(name: str) -> Any:
    owner, _, member = name.partition(".")
    found = getattr(build123d, owner)
    return inspect.getattr_static(found, member) if member else found


def _signature(thing: Callable[..., object]) -> str:
    """Return the parameters without their types, which the docstring has."""
    known = inspect.signature(thing.__init__ if isinstance(thing, type) else thing)
    shown = [_shown(each) for each in known.parameters.values() if each.name != "self"]
    return f"({', '.join(shown)})"


def _shown(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is inspect.Parameter.empty:
        return f"{stars}{parameter.name}"
    return f"{parameter.name}={_value(parameter.default)}"


def _value(default: object) -> str:
    if isinstance(default, Enum):
        return f"{type(default).__name__}.{default.name}"
    if isinstance(default, tuple):
        return f"({', '.join(map(_value, default))})"
    if isinstance(default, int | float | str | None):
        return repr(default)
    return next((name for name, constant in _CONSTANTS.items() if repr(constant) == repr(default)), "...")


def _summary(thing: object) -> str:
    """Return the first paragraph that is more than a title; the title where there is no other."""
    paragraphs = [""]
    for line in inspect.cleandoc(_docstring(thing)).splitlines():
        if _SECTION.match(line):
            break
        if line.strip():
            paragraphs[-1] = f"{paragraphs[-1]} {line.strip()}".strip()
        elif paragraphs[-1]:
            paragraphs.append("")
    told = [each for each in paragraphs if each]
    is_title = len(told) > 1 and len(told[0].split()) <= _TITLE_WORDS and not told[0].endswith(".")
    return told[1] if is_title else (told or [""])[0]


def _parameters(thing: object) -> Iterator[tuple[str, str]]:
    """Yield each parameter of the docstring's `Args`, in one line."""
    told: dict[str, str] = {}
    types: dict[str, str] = {}
    name, is_inside = "", False
    for line in inspect.cleandoc(_docstring(thing)).splitlines():
        if _SECTION.match(line):
            is_inside = line.startswith("Args")
        elif is_inside and (match := _PARAMETER.match(line.strip())):
            name = match["name"]
            told[name], types[name] = match["says"], match["type"] or ""
        elif is_inside and name and line.strip():
            told[name] = f"{told[name]} {line.strip()}"
    own = [each for each in told if each not in EVERYWHERE]
    return ((each, f"{told[each]} ({types[each]})" if types[each] else told[each]) for each in own)


def _docstring(thing: object) -> str:
    own = inspect.getdoc(thing) or ""
    init = inspect.getdoc(thing.__init__) if isinstance(thing, type) else ""
    return own if "Args" in own or not init or "Args" not in init else f"{own}\n\n{init[init.index('Args') :]}"
