"""Texts of models and kernels, made fit to stand in our own Markdown and on a terminal."""

import re

_FENCE = re.compile(r"^ {0,3}(~{3,})", re.MULTILINE)
_SHORTEST_FENCE = 4


def visible(text: str) -> str:
    """Return the text with control characters, and all that writes backwards or nothing, shown as their numbers."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else _number(letter) for letter in text)


def one_line(text: str, chars: int) -> str:
    """Return the text in one line of at most so many characters."""
    joined = visible(" ".join(text.split()))
    return joined if len(joined) <= chars else f"{joined[: chars - 1]}…"


def fenced(text: str, language: str = "text") -> str:
    """Return the text in a fence that nothing in it can close."""
    longest = max((len(found[1]) for found in _FENCE.finditer(text)), default=0)
    fence = "~" * max(_SHORTEST_FENCE, longest + 1)
    return f"{fence}{language}\n{visible(text).rstrip()}\n{fence}"


def _number(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
