"""Policy of the catalog: its model searches by a few SQL queries, then answers with parts and reasons."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from agent.loop.fences import read_fences
from agent.loop.replies import MalformedReplyError, found_sections, require_text_only, sections
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from chassis.bus import Bus
from contracts.envelope import Event, Role, answering
from contracts.events.catalog import (
    CatalogFailureReason,
    CatalogQueried,
    CatalogSearched,
    CatalogSearchFailed,
    CatalogSearchRequested,
)
from contracts.events.conversation import ReplyRejected
from contracts.events.run import EngineeringRequested
from contracts.model import Model
from contracts.models.catalog import CatalogPart
from contracts.models.conversation import Message
from documents.markdown import table
from parts_catalog.search.proposals import find_of, value_text
from pydantic import BaseModel
from store.catalog.query_check import QueryRefusedError
from store.catalog.reader import Rows


def rows_markdown(rows: Rows) -> str:
    """Return the rows as a table."""
    if not rows.rows:
        return "# Rows\n\nno row"
    found = table(rows.columns, [[value_text(value) for value in row] for row in rows.rows])
    return f"# Rows\n\n{found}" + (f"\n\n{rows.note}" if rows.note else "")


def refusal_markdown(reason: str) -> str:
    """Return why the query was not run."""
    return f"# Rows\n\nrefused: {reason}"


MAX_QUERIES = 3
"""With the final reply a search takes at most four model calls."""
LAST_QUERY = "\n\nThis was the last query: answer now with `## Parts` and `## Note`."


_PART = re.compile(r"^(?:[-*+]|\d+[.)]) *[*_`]*(?P<id>[a-z0-9][a-z0-9._-]*)[*_`]* *[:\u2013\u2014-] *(?P<reason>\S.*)$")
_SQL = ("sql", "postgresql", "postgres", "")
"""Languages of a fence that holds a query."""
_NAMES = {"query": "Query", "sql query": "Query", "sql": "Query", "parts": "Parts", "note": "Note", "notes": "Note"}
_CELL = re.compile(r"(?<=\|) *([a-z0-9][a-z0-9._-]*) *(?=\|)")
_WORD = re.compile(r"[a-z0-9][a-z0-9._-]*[a-z0-9]")
_MAX_WORDS = 200
"""Of an answer, looked up in the catalog."""


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
    found = found_sections(text, _NAMES)
    if "Query" in found or ("Parts" not in found and _queries(text)):
        return SqlQuery(_query(found.get("Query", text)))
    if not found:
        raise MalformedReplyError(
            "Write either a query in a ```sql fence under `## Query`, or `## Parts` and `## Note`."
        )
    found = sections(text, ("Parts", "Note"))
    return Proposal(_parts(found["Parts"]), found["Note"])


def _queries(text: str) -> list[str]:
    """Return the closed fences of SQL."""
    return [fence.content.strip() for fence in read_fences(text) if fence.is_closed and fence.language in _SQL]


def _query(body: str) -> str:
    """Return the one query of a section, in a fence or bare."""
    found = _queries(body) or [body.strip()]
    if len(found) != 1 or not found[0].upper().startswith(("SELECT", "WITH", "(", "--", "/*")):
        raise MalformedReplyError("`## Query` must hold exactly one SELECT, in a closed ```sql fence.")
    return found[0]


def _parts(body: str) -> dict[str, str]:
    if body.strip().strip("-*_.` ").lower() == "none":
        return {}
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    found = [_PART.match(line) for line in lines]
    if not all(found):
        raise MalformedReplyError("Each line of `## Parts` is - `part_id`: reason; write `none` if nothing fits.")
    return {match["id"]: match["reason"].strip() for match in found if match}


class CatalogReader(Protocol):
    """Reads the catalog; see `store.catalog.reader.Catalog`."""

    async def query(self, sql: str) -> Rows:
        """Return rows; raise `QueryRefusedError`."""
        ...

    async def parts(self, part_ids: Sequence[str]) -> dict[str, CatalogPart]:
        """Return the parts with these ids that exist, by their ids."""
        ...

    async def similar_ids(self, part_id: str) -> tuple[str, ...]:
        """Return similar ids."""
        ...


class SearchNotes(Model):
    """The catalog's notes on a run: its newest search."""

    request: CatalogSearchRequested | None = None
    model: str = ""
    queries: tuple[str, ...] = ()
    has_read: bool = False
    """Whether a query of this search was run, and its rows were read."""
    seen: tuple[str, ...] = ()
    """What stood in the rows of this and earlier searches of the run: ids of parts, among other words."""


class CatalogSearcher:
    """Finds bought parts for a description in words."""

    role: Role = "catalog"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[SearchNotes] = SearchNotes

    def __init__(self, bus: Bus, catalog: CatalogReader) -> None:
        self._bus = bus
        self._catalog = catalog
        self._prompts = Prompts("catalog")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: SearchNotes, events: StepEvents) -> Reaction[SearchNotes]:  # noqa: ARG002 - no event is decided without the model
        """Show the model the request, or the rows of its query."""
        match event:
            case CatalogSearchRequested():
                model = event.model or await self._model_of(event.run_id)
                messages = (*self._system_prompt(notes), user_message(self._request(event)))
                return Reaction(SearchNotes(request=event, model=model, seen=notes.seen), messages, model)
            case CatalogQueried():
                rows = user_message(event.answer_md, short_form=f"rows of: {event.sql[:200]}")
                return Reaction(_with_rows(notes, event), (rows,), notes.model)
            case ReplyRejected():
                return Reaction(notes, (user_message(rejection_text(event)),), notes.model)
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: SearchNotes, events: StepEvents) -> Decision[SearchNotes]:
        """Run the query, or answer; raise `MalformedReplyError`."""
        assert notes.request is not None
        content = read_reply(reply)
        if isinstance(content, Proposal):
            await self._require_read(content, notes)
            return Decision(notes, (await self._answer(content, notes.request, notes.queries),))
        if len(notes.queries) >= MAX_QUERIES:
            detail = f"{MAX_QUERIES} queries were not enough; ask for one kind of part, with figures"
            return Decision(notes, (_failed(notes.request, "too_many_queries", detail),))
        queries = (*notes.queries, content.sql)
        queried = await self._query(content, notes.request.id, events, is_last=len(queries) == MAX_QUERIES)
        return Decision(notes.model_copy(update={"queries": queries}), (queried,))

    def give_up(self, problem: str, notes: SearchNotes, events: StepEvents) -> Decision[SearchNotes]:  # noqa: ARG002 - an outcome has its own id
        """Answer that the search failed."""
        assert notes.request is not None
        return Decision(notes, (_failed(notes.request, "model_failed", problem),))

    async def _query(self, query: SqlQuery, search_id: UUID, events: StepEvents, *, is_last: bool) -> CatalogQueried:
        refused = False
        try:
            answer = rows_markdown(await self._catalog.query(query.sql))
        except QueryRefusedError as error:
            answer, refused = refusal_markdown(str(error)), True
        answer += LAST_QUERY if is_last else ""
        return CatalogQueried(
            **events.next(), search_id=search_id, sql=query.sql, answer_md=answer, was_refused=refused
        )

    async def _require_read(self, proposal: Proposal, notes: SearchNotes) -> None:
        """Raise `MalformedReplyError` unless every part that an answer names stood in a row that was read."""
        if not notes.has_read and not (proposal.reasons and proposal.reasons.keys() <= {*notes.seen}):
            raise MalformedReplyError("Nothing was read for this request yet: write a query under `## Query` first.")
        unread = [part_id for part_id in proposal.reasons if part_id not in notes.seen]
        words = [word for text in (*proposal.reasons.values(), proposal.note) for word in _WORD.findall(text.lower())]
        named = [word for word in dict.fromkeys(words) if word not in notes.seen][:_MAX_WORDS]
        unread += await self._catalog.parts(named)
        if unread:
            near = ", ".join(await self._catalog.similar_ids(unread[0])) or "none"
            raise MalformedReplyError(
                f"No row that you have read names {', '.join(f'`{each}`' for each in unread)}: answer with parts from "
                f"rows alone, or query for these by `part_id`. Similar ids: {near}."
            )

    async def _answer(
        self, proposal: Proposal, request: CatalogSearchRequested, queries: tuple[str, ...]
    ) -> CatalogSearched:
        reasons = dict(list(proposal.reasons.items())[: request.limit])
        parts = await self._catalog.parts(list(reasons))
        for part_id in reasons.keys() - parts.keys():
            near = ", ".join(await self._catalog.similar_ids(part_id)) or "none"
            raise MalformedReplyError(f"No part has the id `{part_id}`; similar ids: {near}.")
        found = tuple(find_of(parts[part_id], reason, request.quantity) for part_id, reason in reasons.items())
        return CatalogSearched(**answering(request, "catalog"), found=found, note=proposal.note, queries=queries)

    async def _model_of(self, run_id: UUID) -> str:
        opening = await self._bus.latest(EngineeringRequested, run_id)
        if opening is None:
            raise LookupError(f"run {run_id} has no EngineeringRequested, which names the model; name it in the search")
        return opening.model

    def _system_prompt(self, notes: SearchNotes) -> tuple[Message, ...]:
        """Return the system prompt, once per thread."""
        if notes.request is not None:
            return ()
        return (Message(author="system", text=self._prompts.render("system", max_queries=MAX_QUERIES)),)

    def _request(self, request: CatalogSearchRequested) -> str:
        words = " ".join(request.words.split()).replace("|", "\\|")
        return self._prompts.render("search", words=words, limit=request.limit, quantity=request.quantity)


def _with_rows(notes: SearchNotes, queried: CatalogQueried) -> SearchNotes:
    """Return the notes after the model has read the rows of a query."""
    has_read = notes.has_read or not queried.was_refused
    words = {word for word in _CELL.findall(queried.answer_md) if not word.replace(".", "").isdigit()}
    return notes.model_copy(update={"has_read": has_read, "seen": tuple(sorted({*notes.seen, *words}))})


def _failed(request: CatalogSearchRequested, reason: CatalogFailureReason, detail: str) -> CatalogSearchFailed:
    return CatalogSearchFailed(**answering(request, "catalog"), reason=reason, detail=detail)
