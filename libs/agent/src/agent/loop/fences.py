"""Code in a reply: the one Python fence, whatever it is called and whatever stands beside it."""

import ast
import textwrap
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from documents.drafts.markdown import fence_after, fence_language

_PYTHON = frozenset({"python", "py", "python3", "py3", "ipython", "ipython3"})
_MAX_READINGS = 20
"""How many ends of fences are tried in a reply, since each is parsed."""
_MAX_PARSED_CHARS = 200_000


class Fence(NamedTuple):
    """A fenced block."""

    language: str
    """In lower case; empty if none was named."""
    content: str
    is_closed: bool

    @property
    def is_python(self) -> bool:
        """Whether the fence says that it holds Python."""
        return self.language in _PYTHON


def is_python_code(code: str) -> bool:
    """Return whether a text is Python by its syntax, and not empty."""
    if not code.strip() or len(code) > _MAX_PARSED_CHARS:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(ast.parse(code).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def read_fences(text: str) -> list[Fence]:
    """Return the fences of a text.

    A fence ends at the first line that can close it; one with Python at the first of those after which it is Python by
    its syntax, so that a string inside the code may hold three backticks.
    """
    lines = text.split("\n")
    found, number, readings = list[Fence](), 0, _MAX_READINGS
    while number < len(lines):
        fence = fence_after(lines[number], "")
        if not fence:
            number += 1
            continue
        language = fence_language(lines[number]) or ""
        end, readings = _end(lines, number, fence, language, readings)
        content = textwrap.dedent("\n".join(lines[number + 1 : end]))
        found.append(Fence(language, content, end < len(lines)))
        number = end + 1
    return found


def _end(lines: Sequence[str], start: int, fence: str, language: str, readings: int) -> tuple[int, int]:
    """Return the line that closes the fence of the line `start`, and how many readings are left."""
    first = len(lines)
    for number in range(start + 1, len(lines)):
        if fence_after(lines[number], fence):
            continue
        first = min(first, number)
        if language not in _PYTHON or readings <= 0:
            break
        readings -= 1
        if is_python_code(textwrap.dedent("\n".join(lines[start + 1 : number]))):
            return number, readings
    return first, readings


def python_candidates(fences: Sequence[Fence]) -> list[Fence]:
    """Return the fences that may be the reply's code: those that name Python, or else unnamed ones that are Python."""
    named = [each for each in fences if each.is_python]
    unnamed = [each for each in fences if not each.language]
    if named:
        return named
    return unnamed if len(unnamed) == 1 else [each for each in unnamed if is_python_code(each.content)]
