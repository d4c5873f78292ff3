"""Words that this project avoids, and the search for them in names and prose."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from tests.architecture.repository import Source

IDENTIFIER_WORDS = {
    "anew": "again",
    "deed": "handler",
    "desk": "message processor",
    "duty": "subscription",
    "errand": "task or job",
    "farewell": "closing",
    "gist": "summary",
    "ground": "server source",
    "hear": "consume",
    "heard": "consumed or received",
    "hears": "subscribes",
    "house": "cluster or repository",
    "lodging": "scratch root",
    "manner": "mode or format",
    "mend": "fix",
    "mended": "fixed",
    "mends": "fixes",
    "nobody": "none",
    "said": "published, stated or text",
    "sold": "available or bought",
    "somebody": "another process, a user",
    "stands": "exists",
    "tether": "parent",
    "told": "reported or published",
    "undying": "restarting",
    "unheard": "unclaimed",
    "whoever": "the caller, the service",
    "wish": "options or request",
}
"""By word of an identifier: what to write instead."""

PROSE = {
    r"anew": "again",
    r"heard": "consumed, received",
    r"mend(s|ed|ing)?": "fix",
    r"nobody": "name the subject",
    r"somebody": "name the subject",
    r"whoever": "name the subject",
    r"said": "published, stated",
    r"told": "reported, informed",
    r"(?<!there )(is|are|was|were) no (?!longer|more|less|other|such|need|reason|way)[a-z]+": "is not a",
}
"""By pattern of prose: what to write instead."""

_PROSE = re.compile(rf"\b(?:{'|'.join(PROSE)})\b", re.IGNORECASE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Use(NamedTuple):
    """One use of a word that this project avoids."""

    line: int
    word: str
    where: str


def identifier_uses(source: Source) -> Iterator[Use]:
    """Yield each identifier that the file defines and that contains an avoided word."""
    for line, name in _defined_names(source.tree):
        for word in name_words(name):
            if word in IDENTIFIER_WORDS:
                yield Use(line, word, name)


def name_words(name: str) -> list[str]:
    """Return the words of an identifier, in lower case."""
    return [part.lower() for part in _PARTS.findall(name)]


def _defined_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr
            case _:
                pass


def prose_uses(source: Source) -> Iterator[Use]:
    """Yield each avoided word in the file's docstrings, comments and messages."""
    if not _PROSE.search(source.text):
        return  # tokens take far longer to find
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type in {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}:
            yield from (use._replace(line=token.start[0] + use.line - 1) for use in text_uses(token.string))


def text_uses(text: str) -> Iterator[Use]:
    """Yield each avoided word in a text, such as a Markdown file."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in _PROSE.finditer(line):
            yield Use(number, found.group().lower(), line.strip()[:100])
