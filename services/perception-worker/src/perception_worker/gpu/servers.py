"""Several GPU servers: which one gets a call, and for how long one that failed is left alone."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

COOL_DOWN_S = 30.0


@dataclass
class Server:
    """One server as this process knows it."""

    address: str
    """Such as `http://gpu-1:8500`."""
    calls: int = 0
    """Of this process, now."""
    rests_until_s: float = 0.0
    """After a failure; on the clock of the servers."""
    problem: str = ""
    """Of its last failure."""


class Servers:
    """Chooses the healthy server with the fewest calls."""

    def __init__(self, addresses: Sequence[str], clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self.all = tuple(Server(address.rstrip("/")) for address in addresses)

    def choose(self) -> Server | None:
        """Return the server that is used least, of those that do not rest; None if all do."""
        ready = [server for server in self.all if server.rests_until_s <= self._clock()]
        return min(ready, key=lambda server: (server.calls, server.rests_until_s), default=None)

    @contextmanager
    def calling(self, server: Server) -> Generator[None]:
        """Count a call while it lasts."""
        server.calls += 1
        try:
            yield
        finally:
            server.calls -= 1

    def failed(self, server: Server, problem: str) -> None:
        """Leave a server alone for a while."""
        server.problem, server.rests_until_s = problem, self._clock() + COOL_DOWN_S

    def works(self, server: Server) -> None:
        """Use a server again."""
        server.problem, server.rests_until_s = "", 0.0

    @property
    def next_ready_s(self) -> float:
        """Return in how many seconds the first of them ends its rest."""
        return max(0.0, min(server.rests_until_s for server in self.all) - self._clock())

    @property
    def problems(self) -> str:
        """Return what is wrong with each server that failed."""
        return "; ".join(f"{server.address}: {server.problem}" for server in self.all if server.problem)
