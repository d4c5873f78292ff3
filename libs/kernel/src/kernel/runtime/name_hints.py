"""Where a name that code misses can be found."""

import sys
from collections.abc import Iterator
from difflib import get_close_matches

_MODULES = ("utils", "build123d")
"""In the order in which they are searched."""
_LEAST_LIKENESS = 0.75
"""Between 0 and 1: at 0.75, `Cylindre` finds Cylinder, and `xs` finds nothing."""


def hint(error: BaseException) -> str:
    """Return what follows the message of a `NameError`: the import that provides the name, or a similar name."""
    if not isinstance(error, NameError) or not error.name:
        return ""
    for module, names in _exports():
        if error.name in names:
            return f"; `from {module} import {error.name}` provides it"
    known = [name for _, names in _exports() for name in names] + list(vars(sys.modules["__main__"]))
    similar = get_close_matches(error.name, known, 1, _LEAST_LIKENESS)
    return f"; did you mean `{similar[0]}`?" if similar else ""


def _exports() -> Iterator[tuple[str, list[str]]]:
    for name in _MODULES:
        if (module := sys.modules.get(name)) is not None:
            yield name, [str(each) for each in getattr(module, "__all__", ())]
