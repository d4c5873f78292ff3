"""What follows the message of an error that code made: where a missing name is found, what to pass instead."""

import re
import sys
import traceback
from collections.abc import Iterator
from difflib import get_close_matches

from kernel.api.new_shapes import JOINTS_LAST

_MODULES = ("utils", "build123d")
"""In the order in which they are searched."""
_LEAST_LIKENESS = 0.75
"""Between 0 and 1: at 0.75, `Cylindre` finds Cylinder, and `xs` finds nothing."""

_BUILDER = re.compile(r"\b(BuildPart|BuildSketch|BuildLine)\b")
_RESULTS = {"BuildPart": "part", "BuildSketch": "sketch", "BuildLine": "line"}
"""Attribute with the result of each of build123d's builders."""
_OF_JOINTS = re.compile(r"\.\s*joints\s*\[")


def hint(error: BaseException) -> str:
    """Return what follows the error's message; empty for most errors."""
    if isinstance(error, NameError) and error.name:
        return _found_name(error.name)
    if isinstance(error, KeyError) and _OF_JOINTS.search(_last_line(error)):
        return f"; the shape has no such joint: {JOINTS_LAST}"
    builder = _BUILDER.search(str(error))
    if builder is None or ".part" in str(error):
        return ""
    result = _RESULTS[builder[0]]
    return f"; a {builder[0]} is a builder, not a shape: pass its .{result}, with label and metadata set on it"


def _last_line(error: BaseException) -> str:
    """Return the line of code that raised the error."""
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1].line or "" if frames else ""


def _found_name(name: str) -> str:
    """Return the import that provides a name, or a similar name."""
    for module, names in _exports():
        if name in names:
            return f"; `from {module} import {name}` provides it"
    known = [name for _, names in _exports() for name in names] + list(vars(sys.modules["__main__"]))
    similar = get_close_matches(name, known, 1, _LEAST_LIKENESS)
    return f"; did you mean `{similar[0]}`?" if similar else ""


def _exports() -> Iterator[tuple[str, list[str]]]:
    for name in _MODULES:
        if (module := sys.modules.get(name)) is not None:
            yield name, [str(each) for each in getattr(module, "__all__", ())]
