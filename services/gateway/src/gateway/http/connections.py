"""Connections that wait for their client, and the protocol that limits how many do so and for how long.

uvicorn limits how long a connection may be idle, but not how long a request may take to arrive, and it counts each
connection until it ends: a thousand half-sent requests would shut everybody out.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any, ClassVar, NamedTuple, Protocol, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEADERS_S = 10.0
"""How long a client may take for the headers of a request, from its first byte or the connection on."""
LINGER_S = 2.0
"""How long a connection stays whose request was answered before it was complete, so that the client can read that."""
YOUNG_S = 1.0
"""A connection that has waited for less is kept, as far as there is room for it."""
_LATE = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Waiting(Protocol):
    """A connection whose client has to send something."""

    def leave(self) -> None:
        """Close it."""
        ...


class _Since(NamedTuple):
    address: str
    began_s: float


class WaitingConnections:
    """Those that wait for their client: that have sent nothing, a part of a request, or no further one yet.

    Beyond a limit, those of the address that have waited longest are closed. So clients that send whole requests are
    served, however many others do not. None is closed at once: its first bytes may be under way.
    """

    def __init__(
        self,
        per_address: int,
        most: int,
        is_unlimited: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`most`: of all addresses. `is_unlimited`: an address is that of many clients, as a proxy's is."""
        self._per_address = per_address
        self._most = most
        self._is_unlimited = is_unlimited
        self._clock = clock
        self._new: dict[Waiting, _Since] = {}
        self._served: dict[Waiting, _Since] = {}
        self._counts: Counter[tuple[str, bool]] = Counter()

    def __len__(self) -> int:
        return len(self._new) + len(self._served)

    def add(self, connection: Waiting, address: str, *, was_served: bool) -> None:
        """Note that a connection begins to wait; `was_served`: it has sent whole requests before."""
        if connection in self._new or connection in self._served:
            return
        pool = self._served if was_served else self._new
        pool[connection] = _Since(address, self._clock())
        self._counts[address, was_served] += 1
        if not self._is_unlimited(address):
            self._shorten(address)
        while len(self) > self._most:
            self._leave(next(iter(self._new if len(self._new) > len(self._served) else self._served)))

    def remove(self, connection: Waiting) -> None:
        """Note that a connection no longer waits."""
        for pool, was_served in ((self._new, False), (self._served, True)):
            since = pool.pop(connection, None)
            if since is not None:
                self._counts[since.address, was_served] -= 1
                if not self._counts[since.address, was_served]:
                    del self._counts[since.address, was_served]

    def _shorten(self, address: str) -> None:
        """Close connections of an address until it has as many as it may have, or only young ones."""
        new, served = (self._counts[address, each] for each in (False, True))
        surplus = new + served - self._per_address
        if surplus <= 0:
            return
        pool = self._new if new > served else self._served
        old_s = self._clock() - YOUNG_S
        old = takewhile(lambda item: item[1].began_s <= old_s, pool.items())
        for connection in list(islice((each for each, since in old if since.address == address), surplus)):
            self._leave(connection)

    def _leave(self, connection: Waiting) -> None:
        self.remove(connection)
        connection.leave()


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with limits on what a client leaves unsent or unread."""

    waiting: ClassVar[WaitingConnections]
    write_timeout_s: ClassVar[float]

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*args, **kwargs)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    @property
    def _last(self) -> RequestResponseCycle | None:
        """The newest request; None before the first one."""
        return cast("RequestResponseCycle | None", self.cycle)

    @property
    def _is_between_requests(self) -> bool:
        return self._last is None or self._last.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the client some time for its first request."""
        super().connection_made(transport)
        self._reading = self.loop.call_later(HEADERS_S, self.leave)
        self._note()

    def data_received(self, data: bytes) -> None:
        """Give the client some time for the rest of the headers; the guard does so for the body."""
        if self._is_between_requests and self._reading is None:
            self._reading = self.loop.call_later(HEADERS_S, self.leave)
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Wait for the next request, or briefly for a client that still sends the last one."""
        super().on_response_complete()
        if self._is_between_requests and self.cycle.more_body and self._reading is None:
            self._reading = self.loop.call_later(LINGER_S, self.leave)
        self._note()

    def pause_writing(self) -> None:
        """Give the client some time to read."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.write_timeout_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads."""
        super().resume_writing()
        _cancel(self._writing)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        _cancel(self._reading)
        _cancel(self._writing)
        self.waiting.remove(self)

    def leave(self) -> None:
        """Close the connection; a client that has sent a part of a request is notified."""
        if self.transport.is_closing():
            return
        if self._is_between_requests and self.conn.trailing_data[0]:
            self.transport.write(_LATE)
        self.transport.close()
        self.loop.call_later(LINGER_S, self.transport.abort)  # one that reads nothing

    def _note(self) -> None:
        if self._is_between_requests or self.cycle.more_body:
            self.waiting.add(self, self.client[0] if self.client else "", was_served=self._last is not None)
        else:
            self.waiting.remove(self)
        if not self._is_between_requests:
            _cancel(self._reading)
            self._reading = None


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
