"""Texts inside JSON, by pointer (RFC 6901)."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

_INDEX = re.compile(r"0|[1-9][0-9]*")


def texts_in(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a JSON value with its pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from texts_in(each, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from texts_in(each, f"{pointer}/{index}")


def put_text(value: JsonValue, pointer: str, text: str) -> str:
    """Put `text` in the place of another, which is returned; raise `LookupError` if there is no text at `pointer`."""
    start, *tokens = (token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/"))
    if start or not tokens:
        raise LookupError(f"{pointer!r} points at no field")
    for token in tokens[:-1]:
        value = _child(value, token)
    before = _child(value, tokens[-1])
    if not isinstance(before, str):
        raise LookupError(f"there is no text at {pointer!r}")
    if isinstance(value, dict):
        value[tokens[-1]] = text
    elif isinstance(value, list):
        value[int(tokens[-1])] = text
    return before


def _child(value: JsonValue, token: str) -> JsonValue:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
        return value[int(token)]
    raise LookupError(f"nothing is called {token!r} there")
