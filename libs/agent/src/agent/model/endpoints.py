"""Endpoints of one model: which server gets the next call. An endpoint that fails is avoided for a while."""

import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from contracts.settings import COMMAND
from langchain_core.language_models import BaseChatModel

from agent.model.announced_endpoints import AnnouncedEndpoints
from agent.model.failures import ProviderOutageError, UnreadableAnswerError

FIRST_COOL_DOWN_S = 5.0
"""After one failure; doubled by each further one in a row."""
MAX_COOL_DOWN_S = 300.0
MAX_PINNED_RUNS = 1000
"""How many runs are remembered with their endpoint, the newest."""


NOWHERE = "http://unannounced.invalid/v1"
"""The address of a chat model that is asked for its features alone."""


@dataclass(eq=False)
class Endpoint:
    """One server and its condition."""

    name: str
    """Its address, without secrets."""
    chat: BaseChatModel
    busy: int = 0
    """Calls in progress."""
    announced_busy: int = 0
    """The same of all processes, as the server announced it."""
    calls: int = 0
    failures_in_a_row: int = 0
    cools_until_s: float = 0.0
    """Avoided until then if another endpoint is available."""
    paused_until_s: float = 0.0
    """Not called until then: the server itself asked for the pause."""


class Endpoints:
    """All endpoints of one model. A run stays with its endpoint while that one works, which caches the run's prompts.

    A new run goes to the endpoint with the fewest calls in progress. No call is repeated here: a caller that meets a
    failure comes back later and is sent elsewhere then.
    """

    def __init__(
        self,
        chats: Mapping[str, BaseChatModel],
        now_s: Callable[[], float] = time.monotonic,
        announced: AnnouncedEndpoints | None = None,
    ) -> None:
        """`chats`: chat models by the name of their server; at least one, unless servers are `announced`."""
        self._own = [Endpoint(name, chat) for name, chat in chats.items()]
        self._now_s = now_s
        self._announced = announced
        self._found: dict[str, Endpoint] = {}
        self._pinned: OrderedDict[UUID, Endpoint] = OrderedDict()

    @property
    def any_chat(self) -> BaseChatModel:
        """One of the chat models: they differ only in their address."""
        if not self._own and self._announced is not None:
            return self._announced.make_chat(NOWHERE)
        return self._own[0].chat

    @property
    def _all(self) -> list[Endpoint]:
        found = list(self._found.values())
        joins = not found or self._announced is None or self._announced.joins_others
        return [*self._own, *found] if joins else found

    async def look_up(self) -> None:
        """Take the servers that are announced now in place of those of before; one that stays keeps its state."""
        if self._announced is None:
            return
        busy = await self._announced.found()
        self._found = {
            url: self._found.get(url) or Endpoint(url.partition("://")[2], self._announced.make_chat(url))
            for url in busy
        }
        for url, calls in busy.items():
            self._found[url].announced_busy = calls

    @contextmanager
    def borrow(self, run_id: UUID | None = None) -> Generator[Endpoint]:
        """Lend an endpoint for one call and record how it ends; raise `ProviderOutageError` while all of them pause."""
        endpoint = self._choose(run_id)
        endpoint.busy += 1
        endpoint.calls += 1
        try:
            yield endpoint
        except ProviderOutageError as error:
            self._record_failure(endpoint, error.pause_s)
            raise
        except UnreadableAnswerError:
            self._record_failure(endpoint)
            raise
        else:
            endpoint.failures_in_a_row = 0
            endpoint.cools_until_s = 0.0
        finally:
            endpoint.busy -= 1

    def _choose(self, run_id: UUID | None) -> Endpoint:
        now_s = self._now_s()
        if not self._all:
            raise ProviderOutageError(
                f"no server of this model is announced: `{COMMAND} servers list` shows those that are"
            )
        awake = [each for each in self._all if each.paused_until_s <= now_s]
        if not awake:
            first = min(self._all, key=lambda each: each.paused_until_s)
            raise ProviderOutageError(f"{first.name} asked for a pause of {first.paused_until_s - now_s:.0f} s more")
        cool = [each for each in awake if each.cools_until_s <= now_s]
        pinned = self._pinned.get(run_id) if run_id else None
        if pinned is not None and pinned in cool:
            chosen = pinned
        elif cool:
            chosen = min(cool, key=lambda each: (each.busy + each.announced_busy, each.calls))
        else:
            chosen = min(awake, key=lambda each: each.cools_until_s)
        self._pin(run_id, chosen)
        return chosen

    def _pin(self, run_id: UUID | None, endpoint: Endpoint) -> None:
        if run_id is None:
            return
        self._pinned[run_id] = endpoint
        self._pinned.move_to_end(run_id)
        if len(self._pinned) > MAX_PINNED_RUNS:
            self._pinned.popitem(last=False)

    def _record_failure(self, endpoint: Endpoint, pause_s: float = 0.0) -> None:
        now_s = self._now_s()
        cool_down_s = min(FIRST_COOL_DOWN_S * 2.0 ** min(endpoint.failures_in_a_row, 10), MAX_COOL_DOWN_S)
        endpoint.failures_in_a_row += 1
        endpoint.cools_until_s = now_s + cool_down_s
        endpoint.paused_until_s = now_s + pause_s
