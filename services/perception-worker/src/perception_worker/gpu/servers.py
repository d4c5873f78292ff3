"""Several GPU servers: which one gets a call, and for how long one that failed is left alone."""

from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

COOL_DOWN_S = 30.0
LOST_S = 5.0
"""Rest of a server that broke off or refuses connections: it may be starting again, and to try costs nothing."""
MAX_PINNED_RUNS = 1000
"""How many runs are remembered with their server, the newest."""


@dataclass(eq=False)
class Server:
    """One server as this process knows it."""

    address: str
    """Such as `http://gpu-1:8500`."""
    calls: int = 0
    """Of this process, now."""
    busy: int = 0
    """Calls in progress, as the server has announced."""
    rests_until_s: float = 0.0
    """After a failure; on the clock of the servers."""
    problem: str = ""
    """Of its last failure."""


class Servers:
    """Chooses the healthy server with the fewest calls. A run stays with its server while that one works."""

    def __init__(self, addresses: Sequence[str], clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._configured = tuple(Server(address.rstrip("/")) for address in addresses)
        self._announced: dict[str, Server] = {}
        self._pinned: OrderedDict[UUID, Server] = OrderedDict()

    @property
    def all(self) -> tuple[Server, ...]:
        """Return the configured servers, and those that are announced now."""
        return (*self._configured, *self._announced.values())

    def announce(self, busy: Mapping[str, int]) -> None:
        """Take the servers that are announced now, with their calls in progress, in place of those of before."""
        configured = {server.address for server in self._configured}
        known = self._announced
        self._announced = {
            address: known.get(address) or Server(address)
            for address in (each.rstrip("/") for each in busy)
            if address not in configured
        }
        for address, calls in busy.items():
            if server := self._announced.get(address.rstrip("/")):
                server.busy = calls

    def choose(self, run_id: UUID | None = None) -> Server | None:
        """Return the run's server, or the one that is used least, of those that do not rest; None if all do."""
        ready = [server for server in self.all if server.rests_until_s <= self._clock()]
        pinned = None if run_id is None else self._pinned.get(run_id)
        if pinned in ready:
            return pinned
        chosen = min(ready, key=lambda server: (server.calls + server.busy, server.rests_until_s), default=None)
        if run_id is not None and chosen is not None:
            self._pin(run_id, chosen)
        return chosen

    def _pin(self, run_id: UUID, server: Server) -> None:
        self._pinned[run_id] = server
        self._pinned.move_to_end(run_id)
        if len(self._pinned) > MAX_PINNED_RUNS:
            self._pinned.popitem(last=False)

    @contextmanager
    def calling(self, server: Server) -> Generator[None]:
        """Count a call while it lasts."""
        server.calls += 1
        try:
            yield
        finally:
            server.calls -= 1

    def failed(self, server: Server, problem: str, rest_s: float = COOL_DOWN_S) -> None:
        """Leave a server alone for a while."""
        server.problem, server.rests_until_s = problem, self._clock() + rest_s

    def works(self, server: Server) -> None:
        """Use a server again."""
        server.problem, server.rests_until_s = "", 0.0

    @property
    def next_ready_s(self) -> float | None:
        """Return in how many seconds the first of them ends its rest; None without servers."""
        if not self.all:
            return None
        return max(0.0, min(server.rests_until_s for server in self.all) - self._clock())

    @property
    def problems(self) -> str:
        """Return what is wrong with each server that failed."""
        return "; ".join(f"{server.address}: {server.problem}" for server in self.all if server.problem)
