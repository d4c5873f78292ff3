"""References of the shipped skill `build123d`, from the installed build123d: `python -m tools.skill_reference`.

Signatures and sentences come from the docstrings of the library; `tools.skill_reference_pages` lists the names.
`traps.md` in the same folder is written by hand. Exit code 1 if a file was written.
"""

# pyright: reportUnknownArgumentType=false
# build123d leaves some of its types unknown.

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Any

import build123d
import documents

from tools.skill_reference_pages import PAGES, Page
from tools.written_pages import write_pages

COMMON_PARAMETERS = {"mode", "rotation", "align"}
"""Parameters of many functions with one meaning, described once, under their enumerations."""
_CONSTANTS = {
    f"{owner.__name__}.{name}": getattr(owner, name)
    for owner, names in ((build123d.Axis, "XYZ"), (build123d.Plane, ("XY", "XZ", "YZ")))
    for name in names
}
_TITLE_WORDS = 5
FOLDER = Path(documents.__file__).parent / "skills" / "build123d" / "references"
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Example|Examples|Note|Notes|Attributes|Keyword Args):?\s*$")
_PARAMETER = re.compile(r"^(?P<name>\**\w+)\s*(\((?P<type>.*?)\))?:\s*(?P<text>.*)$")


def pages() -> dict[str, str]:
    """Return the Markdown of each page by its file name."""
    return {name: _page(page) for name, page in PAGES.items()}


def _page(page: Page) -> str:
    head = f"# {page.title}\n\nbuild123d {version('build123d')}. {page.introduction}"
    return "\n\n".join([head, *(_entry(name) for name in page.names)]) + "\n"


def _entry(name: str) -> str:
    thing = _find(name)
    if isinstance(thing, type) and issubclass(thing, Enum):
        members = ", ".join(f"`{member}`" for member in thing.__members__)
        return f"## {name}\n\n{_summary(thing)} {members}"
    lines = [f"`{name}{_signature(thing)}`" if callable(thing) else f"`{name}` (no call)", "", _summary(thing)]
    parameters = [f"- `{name}`: {text}" for name, text in _parameters(thing)]
    return "\n".join([f"## {name}", "", *lines, *([""] if parameters else []), *parameters])


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
    """Return the first paragraph that is not just a title; the title if there is no other paragraph."""
    paragraphs = [""]
    for line in inspect.cleandoc(_docstring(thing)).splitlines():
        if _SECTION.match(line):
            break
        if line.strip():
            paragraphs[-1] = f"{paragraphs[-1]} {line.strip()}".strip()
        elif paragraphs[-1]:
            paragraphs.append("")
    filled = [each for each in paragraphs if each]
    is_title = len(filled) > 1 and len(filled[0].split()) <= _TITLE_WORDS and not filled[0].endswith(".")
    return filled[1] if is_title else (filled or [""])[0]


def _parameters(thing: object) -> Iterator[tuple[str, str]]:
    """Yield each parameter of the docstring's `Args`, in one line."""
    descriptions: dict[str, str] = {}
    types: dict[str, str] = {}
    name, is_inside = "", False
    for line in inspect.cleandoc(_docstring(thing)).splitlines():
        if _SECTION.match(line):
            is_inside = line.startswith("Args")
        elif is_inside and (match := _PARAMETER.match(line.strip())):
            name = match["name"]
            descriptions[name], types[name] = match["text"], match["type"] or ""
        elif is_inside and name and line.strip():
            descriptions[name] = f"{descriptions[name]} {line.strip()}"
    own = [each for each in descriptions if each not in COMMON_PARAMETERS]
    return ((each, f"{descriptions[each]} ({types[each]})" if types[each] else descriptions[each]) for each in own)


def _docstring(thing: object) -> str:
    own = inspect.getdoc(thing) or ""
    init = inspect.getdoc(thing.__init__) if isinstance(thing, type) else ""
    return own if "Args" in own or not init or "Args" not in init else f"{own}\n\n{init[init.index('Args') :]}"


if __name__ == "__main__":
    sys.exit(write_pages(FOLDER, pages()))
