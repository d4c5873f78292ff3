"""The commands that a page shows to its readers."""

import re

SHOWN = re.compile(r"```sh\n(?P<block>.*?)```|`(?P<inline>docker compose [^`]*)`", re.DOTALL)
PLACEHOLDER = "…"
"""Marks what only the reader knows: a command with one cannot be run as it is."""


def commands_in(page: str) -> list[str]:
    """Return every line of every block of shell, and every `docker compose` in a sentence, in order and once each."""
    lines: list[str] = []
    for shown in SHOWN.finditer(page):
        text = shown["block"].replace("\\\n", " ") if shown["block"] else " ".join(shown["inline"].split())
        lines += [line.strip() for line in text.splitlines()]
    commands = (line for line in lines if line and not line.startswith("#") and PLACEHOLDER not in line)
    return list(dict.fromkeys(commands))
