"""Several servers of one model: which one is asked next. One that fails is left alone for a while."""

import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from langchain_core.language_models import BaseChatModel

from agent.model.failures import ModelAwayError, UnreadableAnswerError

FIRST_COOL_DOWN_S = 5.0
"""After one failure; doubled by each further one in a row."""
LONGEST_COOL_DOWN_S = 300.0
MOST_KEPT_RUNS = 1000
"""So many runs are remembered with their endpoint, the newest."""


@dataclass(eq=False)
class Endpoint:
    """One server, and how it fares."""

    name: str
    """Its address, without what is secret."""
    chat: BaseChatModel
    busy: int = 0
    """Calls under way."""
    calls: int = 0
    failures_in_a_row: int = 0
    cools_until_s: float = 0.0
    """Avoided until then, if another one is there."""
    rests_until_s: float = 0.0
    """Never asked until then: it said so itself."""


class Endpoints:
    """All servers of one model. A run stays with its server while that one is well: its cache knows the prompt.

    Another run goes where the fewest calls are under way. Nothing is asked twice here: whoever meets a failure comes
    back later, and is sent elsewhere then.
    """

    def __init__(self, chats: Mapping[str, BaseChatModel], now_s: Callable[[], float] = time.monotonic) -> None:
        """`chats` by the names of their servers; at least one."""
        self._all = [Endpoint(name, chat) for name, chat in chats.items()]
        self._now_s = now_s
        self._kept: OrderedDict[UUID, Endpoint] = OrderedDict()

    @property
    def any_chat(self) -> BaseChatModel:
        """One of the chat models: they are alike in all but the address."""
        return self._all[0].chat

    @contextmanager
    def borrow(self, run_id: UUID | None = None) -> Generator[Endpoint]:
        """Lend a server for one call, and learn from how that ends; raise `ModelAwayError` while all of them rest."""
        endpoint = self._chosen(run_id)
        endpoint.busy += 1
        endpoint.calls += 1
        try:
            yield endpoint
        except ModelAwayError as error:
            self._note_failure(endpoint, error.rest_s)
            raise
        except UnreadableAnswerError:
            self._note_failure(endpoint)
            raise
        else:
            endpoint.failures_in_a_row = 0
            endpoint.cools_until_s = 0.0
        finally:
            endpoint.busy -= 1

    def _chosen(self, run_id: UUID | None) -> Endpoint:
        now_s = self._now_s()
        awake = [each for each in self._all if each.rests_until_s <= now_s]
        if not awake:
            first = min(self._all, key=lambda each: each.rests_until_s)
            raise ModelAwayError(f"{first.name} asked to be left alone for {first.rests_until_s - now_s:.0f} s more")
        well = [each for each in awake if each.cools_until_s <= now_s]
        kept = self._kept.get(run_id) if run_id else None
        if kept is not None and kept in well:
            chosen = kept
        elif well:
            chosen = min(well, key=lambda each: (each.busy, each.calls))
        else:
            chosen = min(awake, key=lambda each: each.cools_until_s)
        self._keep(run_id, chosen)
        return chosen

    def _keep(self, run_id: UUID | None, endpoint: Endpoint) -> None:
        if run_id is None:
            return
        self._kept[run_id] = endpoint
        self._kept.move_to_end(run_id)
        if len(self._kept) > MOST_KEPT_RUNS:
            self._kept.popitem(last=False)

    def _note_failure(self, endpoint: Endpoint, rest_s: float = 0.0) -> None:
        now_s = self._now_s()
        cool_down_s = min(FIRST_COOL_DOWN_S * 2.0 ** min(endpoint.failures_in_a_row, 10), LONGEST_COOL_DOWN_S)
        endpoint.failures_in_a_row += 1
        endpoint.cools_until_s = now_s + cool_down_s
        endpoint.rests_until_s = now_s + rest_s
