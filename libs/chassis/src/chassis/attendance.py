"""Working through the requests of one thread, in order, one at a time."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Awaitable, Callable

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import NoRespondersError
from nats.errors import TimeoutError as NatsTimeoutError

from chassis.subscribing import Subscriber, stop

EVERY_ROLL = "attending.*"
"""Where it is asked whether a thread is attended: any thread."""
ROLL_CALLS = 4
ROLL_CALL_S = 1.0
"""After a broker's restart the living need a moment to be back: nobody is believed dead at the first silence."""


class Attendance:
    """An open ear for one run and role. Stopping it leaves unanswered requests to whoever attends next."""

    def __init__(
        self, subscriber: Subscriber, unlist: Callable[[], Awaitable[None]], forget: Callable[["Attendance"], None]
    ) -> None:
        self._subscriber = subscriber
        self._unlist = unlist
        self._forget = forget
        self._stopped: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Finish the request in hand and take no further one. A second stop waits for the first."""
        if self._stopped is None:
            self._stopped = asyncio.create_task(self._stop())
        await asyncio.shield(self._stopped)

    async def _stop(self) -> None:
        await stop(self._subscriber)
        await self._unlist()
        self._forget(self)


async def answer_roll(client: Client, durable: str) -> Callable[[], Awaitable[None]]:
    """Answer whoever asks whether a thread is attended, until what is returned is called.

    Raw nats-py and no stream: a message nobody hears comes back at once, and a dead process hears nothing.
    """

    async def here(call: Msg) -> None:
        await call.respond(b"")

    subscription = await client.subscribe(_roll(durable), cb=here)

    async def unlist() -> None:
        if not client.is_closed:
            await subscription.unsubscribe()

    return unlist


async def is_attended(client: Client, durable: str) -> bool:
    """Tell whether somebody alive attends a thread. One who is too busy to answer does."""
    for _ in range(ROLL_CALLS):
        try:
            await client.request(_roll(durable), timeout=ROLL_CALL_S)
        except NoRespondersError:
            await asyncio.sleep(ROLL_CALL_S)
        except NatsTimeoutError:
            return True
        else:
            return True
    return False


def _roll(durable: str) -> str:
    return EVERY_ROLL.replace("*", durable)
