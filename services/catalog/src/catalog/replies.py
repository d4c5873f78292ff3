"""Strict parser of the catalog's replies: one SQL query, or the proposed parts."""

import re
from dataclasses import dataclass

from agent.loop.replies import MalformedReplyError, require_text_only, sections
from contracts.models.conversation import Message

_SQL = re.compile(r"^```sql[ \t]*\n(?P<sql>.*?)\n```[ \t]*$", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"^- `(?P<id>[^`]+)`: *(?P<reason>.+)$")
_QUERY = re.compile(r"^## +Query *$", re.MULTILINE)


@dataclass(frozen=True)
class SqlQuery:
    """A query to run."""

    sql: str


@dataclass(frozen=True)
class Proposal:
    """Parts that fit, best first."""

    reasons: dict[str, str]
    """By id."""
    note: str


def read_reply(reply: Message) -> SqlQuery | Proposal:
    """Return the query or the proposal of a reply; raise `MalformedReplyError`."""
    text = require_text_only(reply)
    if _QUERY.search(text):
        fences = _SQL.findall(sections(text, ("Query",))["Query"])
        if len(fences) != 1:
            raise MalformedReplyError("`## Query` must hold exactly one closed ```sql fence.")
        return SqlQuery(fences[0].strip())
    found = sections(text, ("Parts", "Note"))
    return Proposal(_parts(found["Parts"]), found["Note"])


def _parts(body: str) -> dict[str, str]:
    if body.strip().lower() == "none":
        return {}
    lines = [line for line in body.splitlines() if line.strip()]
    found = [_PART.match(line) for line in lines]
    if not all(found):
        raise MalformedReplyError("Each line of `## Parts` is - `part_id`: reason; write `none` if nothing fits.")
    return {match["id"]: match["reason"].strip() for match in found if match}
