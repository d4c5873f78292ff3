"""What a skill may not command, and what has no effect in it.

A skill is text that a role may read, so that nothing in it can be executed by reading it. Still, instructions that
have nothing to do with engineering are refused, and code that cannot work in a kernel is named.
"""

import re
from collections.abc import Iterator

_COMMANDS = {
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(instruction|rule|prompt|critic|physics)": "changes instructions",
    r"\b(always|must|just|immediately|unconditionally)\b.{0,30}\bapprove\b": "decides reviews",
    r"\bapprove (every|all|any|each|this|the)\b.{0,20}\b(design|plan|draft)": "decides reviews",
    r"\b(send|post|upload|print|reveal|leak|exfiltrate|copy|write|show|report)\b.{0,60}"
    r"\b(api[ _-]?keys?|passwords?|secrets?|credentials?|(access|private) (tokens?|keys?)|environment variables?)\b": (
        "asks for secrets"
    ),
    r"\b(change|edit|fake|forge|tamper with)\b.{0,40}\b(verdict|assessment|score|replica count|simulation result)": (
        "forges results"
    ),
    r"</?(system|assistant|user|instructions?)>|<\|im_(start|end)\|>|\[/?INST\]": "imitates a prompt",
    r"^#{1,6} *Role: ": "imitates a prompt",
}
"""What refuses a skill, by pattern."""
_INERT = {
    r"\bos\.environ\b|\bgetenv\b": "the environment is empty in a kernel",
    r"\b(import|from) +(socket|requests|urllib|http|ftplib|smtplib|aiohttp|httpx)\b": "a kernel has no network",
    r"\b(curl|wget|nc|ssh|scp) +\S": "a kernel has no network and no shell",
    r"\bsubprocess\b|\bos\.(system|popen|exec\w*|fork)\b": "a kernel starts no processes",
    r"https?://": "a kernel has no network, so that links are not followed",
    r"/etc/(passwd|shadow)|~/\.ssh|/proc/": "a kernel sees its workspace only",
}
"""What has no effect, by pattern, with the reason."""
_FLAGS = re.IGNORECASE
_MAX_FOUND = 20
_SHOWN_CHARS = 80
_LINE_CHARS = 2_000


def commands_in(path: str, text: str) -> list[str]:
    """Return the lines of a file that command what no skill may, each with place and reason."""
    return [f"{path} line {number} {why} ({shown!r})" for number, why, shown in _found(text, _COMMANDS)]


def inert_parts(path: str, text: str) -> list[str]:
    """Return what has no effect in a file, each with place and reason; every script, since nothing runs it."""
    found = [f"{path} line {number}: {why}" for number, why, _ in _found(text, _INERT)]
    return [f"{path} runs only if a role copies it into a cell", *found] if path.startswith("scripts/") else found


def _found(text: str, patterns: dict[str, str]) -> list[tuple[int, str, str]]:
    return list(_matches(text, patterns))[:_MAX_FOUND]


def _matches(text: str, patterns: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    """Yield number, reason and beginning of each line with a match; also of a sentence broken over two lines."""
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        joined = f"{line} {lines[number] if number < len(lines) else ''}"[:_LINE_CHARS]
        for pattern, why in patterns.items():
            found = re.search(pattern, joined, _FLAGS)
            if found and found.start() <= len(line):
                yield number, why, line.strip()[:_SHOWN_CHARS]
