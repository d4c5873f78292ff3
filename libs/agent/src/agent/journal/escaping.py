"""Escapes texts of models and kernels for Markdown and terminals."""

import re

_FENCE = re.compile(r"^ {0,3}(~{3,})", re.MULTILINE)
_MIN_FENCE_CHARS = 4


def visible(text: str) -> str:
    """Return the text with unprintable characters, such as controls and direction marks, as escape sequences."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else _escape(letter) for letter in text)


def one_line(text: str, chars: int) -> str:
    """Return the text in one line of at most `chars` characters."""
    joined = visible(" ".join(text.split()))
    return joined if len(joined) <= chars else f"{joined[: chars - 1]}…"


def fenced(text: str, language: str = "text") -> str:
    """Return the text in a fence that it cannot close."""
    longest = max((len(found[1]) for found in _FENCE.finditer(text)), default=0)
    fence = "~" * max(_MIN_FENCE_CHARS, longest + 1)
    return f"{fence}{language}\n{visible(text).rstrip()}\n{fence}"


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
