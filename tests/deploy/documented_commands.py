"""Which lines of a page somebody who reads it would type."""

import re

SHOWN = re.compile(r"```sh\n(?P<block>.*?)```|`(?P<inline>docker compose [^`]*)`", re.DOTALL)
PLACEHOLDER = "…"
"""Stands for something that only the reader knows: a line that has one cannot be typed as it is."""


def lines_in(page: str) -> list[str]:
    """Return every line of every block of shell, and every `docker compose` in a sentence, in order and once each."""
    lines: list[str] = []
    for shown in SHOWN.finditer(page):
        text = shown["inline"] or shown["block"].replace("\\\n", " ")
        lines += [line.strip() for line in text.splitlines()]
    typed = (line for line in lines if line and not line.startswith("#") and PLACEHOLDER not in line)
    return list(dict.fromkeys(typed))
