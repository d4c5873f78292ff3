"""The search agent's part: a few queries, each of which it hears the rows of, and then parts with reasons."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from agent.loop.prompts import Prompts
from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import ReplyRejected
from contracts.events.run import EngineeringRequested
from contracts.model import Model
from contracts.models.catalog import CatalogPart
from contracts.models.conversation import Message
from pydantic import BaseModel
from store.catalog.query_check import QueryRefusedError
from store.catalog.reader import Rows

from catalog.markdown import find_of, refusal_markdown, rows_markdown
from catalog.replies import Proposal, Query, read_reply

MAX_QUERIES = 3
"""With the answer that makes four model calls for a search."""
LAST = "\n\nThis was the last query: answer now with `## Parts` and `## Note`."


class Shop(Protocol):
    """The catalog, as far as a search needs it."""

    async def query(self, sql: str) -> Rows:
        """Return rows; raise `QueryRefusedError`."""
        ...

    async def parts(self, part_ids: Sequence[str]) -> dict[str, CatalogPart]:
        """Return those of these parts that are sold, by their ids."""
        ...

    async def near(self, part_id: str) -> tuple[str, ...]:
        """Return ids that come close."""
        ...


class Log(Protocol):
    """The log, as far as a search needs it."""

    async def latest(
        self, event_class: type[EngineeringRequested], run_id: UUID, role: Role | None = None
    ) -> EngineeringRequested | None:
        """Return what opened a run, if it was stored."""
        ...


class SearchNotes(Model):
    """What the search agent keeps of a run: its newest search."""

    request: CatalogSearchRequested | None = None
    model: str = ""
    queries: tuple[str, ...] = ()


class Searcher:
    """Answers words with parts."""

    role: Role = "catalog"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[SearchNotes] = SearchNotes

    def __init__(self, log: Log, shop: Shop) -> None:
        self._log = log
        self._shop = shop
        self._prompts = Prompts("catalog")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: SearchNotes, pen: StepEvents) -> Reaction[SearchNotes]:  # noqa: ARG002 - words need no pen
        """Put the question, or the rows that a query found, before the model."""
        match event:
            case CatalogSearchRequested():
                model = event.model or await self._model_of(event.run_id)
                asked = SearchNotes(request=event, model=model)
                return Reaction(asked, (*self._opening(notes), user_message(self._question(event))), model)
            case CatalogQueried():
                return Reaction(
                    notes, (user_message(event.answer_md, gist=f"rows of: {event.sql[:200]}"),), notes.model
                )
            case ReplyRejected():
                return Reaction(notes, (user_message(rejection_text(event)),), notes.model)
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: SearchNotes, pen: StepEvents) -> Decision[SearchNotes]:
        """Look something up, or answer; raise `MalformedReplyError`."""
        assert notes.request is not None
        said = read_reply(reply)
        if isinstance(said, Proposal):
            return Decision(notes, (await self._answer(said, notes.request, notes.queries),))
        if len(notes.queries) >= MAX_QUERIES:
            detail = f"{MAX_QUERIES} queries were not enough; ask for one kind of part, with figures"
            return Decision(notes, (_failed(notes.request, "too_many_queries", detail),))
        queries = (*notes.queries, said.sql)
        queried = await self._look_up(said, notes.request.id, pen, is_last=len(queries) == MAX_QUERIES)
        return Decision(notes.model_copy(update={"queries": queries}), (queried,))

    def give_up(self, problem: str, notes: SearchNotes, pen: StepEvents) -> Decision[SearchNotes]:  # noqa: ARG002 - an outcome needs no pen
        """Say that nobody searched."""
        assert notes.request is not None
        return Decision(notes, (_failed(notes.request, "model_failed", problem),))

    async def _look_up(self, query: Query, search_id: UUID, pen: StepEvents, *, is_last: bool) -> CatalogQueried:
        refused = False
        try:
            told = rows_markdown(await self._shop.query(query.sql))
        except QueryRefusedError as error:
            told, refused = refusal_markdown(str(error)), True
        told += LAST if is_last else ""
        return pen.next(CatalogQueried, search_id=search_id, sql=query.sql, answer_md=told, was_refused=refused)

    async def _answer(
        self, said: Proposal, request: CatalogSearchRequested, queries: tuple[str, ...]
    ) -> CatalogSearched:
        reasons = dict(list(said.reasons.items())[: request.limit])
        sold = await self._shop.parts(list(reasons))
        for part_id in reasons.keys() - sold.keys():
            near = ", ".join(await self._shop.near(part_id)) or "none"
            raise MalformedReplyError(f"There is no part `{part_id}`; ids that come close: {near}.")
        found = tuple(find_of(sold[part_id], reason, request.quantity) for part_id, reason in reasons.items())
        return CatalogSearched.answering(request, "catalog", found=found, note=said.note, queries=queries)

    async def _model_of(self, run_id: UUID) -> str:
        opening = await self._log.latest(EngineeringRequested, run_id)
        if opening is None:
            raise LookupError(f"run {run_id} has no EngineeringRequested, which names the model; give the search one")
        return opening.model

    def _opening(self, notes: SearchNotes) -> tuple[Message, ...]:
        """Return the system prompt, once per thread."""
        if notes.request is not None:
            return ()
        return (Message(author="system", text=self._prompts.render("system", max_queries=MAX_QUERIES)),)

    def _question(self, request: CatalogSearchRequested) -> str:
        words = " ".join(request.words.split()).replace("|", "\\|")
        return self._prompts.render("search", words=words, limit=request.limit, quantity=request.quantity)


def _failed(request: CatalogSearchRequested, reason: str, detail: str) -> CatalogSearchFailed:
    return CatalogSearchFailed.answering(request, "catalog", reason=reason, detail=detail)
