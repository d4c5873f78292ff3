"""The network between processes and servers: every call takes time, and its request or its answer can be lost.

A request that was sent arrives even if its sender dies in the same moment.
"""

import asyncio
import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from tests.simulation.event_loop import Process, VirtualLoop, current_process

T = TypeVar("T")

CALL_TIMEOUT_S = 2.0
"""A caller gives up waiting for an answer after this time."""


@dataclass(frozen=True)
class FaultRates:
    """How likely each fault is, per message."""

    lost_requests: float = 0.0
    lost_answers: float = 0.0
    lost_acks: float = 0.0
    lost_deliveries: float = 0.0
    duplicates: float = 0.0
    slow: float = 0.0
    """Messages that take up to 30 times as long, so that later ones overtake them."""
    lease_errors: float = 0.0
    """Writes of a lease that the server refuses with an error that no process expects."""


class Network:
    """Delays, loses and reorders; also between the world and its servers, which use no process."""

    def __init__(self, loop: VirtualLoop, random: Random, rates: FaultRates) -> None:
        self.loop = loop
        self.random = random
        self.rates = rates
        self.is_calm = False
        """Whether no fault happens any more: what is left must settle by itself."""
        self.down_until_s = 0.0
        """No server answers before this time."""

    def strikes(self, rate: float) -> bool:
        """Return whether a fault of this rate happens now."""
        return bool(rate) and not self.is_calm and self.random.random() < rate

    def later(self, delay_s: float, work: Callable[[], None]) -> None:
        """Call `work` outside of every process."""
        self.loop.call_later(delay_s, work, context=contextvars.Context())

    def latency_s(self) -> float:
        """Return how long the next message takes."""
        latency_s = self.random.uniform(0.0002, 0.004)
        return latency_s * 30 if self.strikes(self.rates.slow) else latency_s

    def is_cut_off(self, process: Process | None) -> bool:
        """Return whether messages of this process, or all, are lost."""
        now_s = self.loop.now_s
        return now_s < self.down_until_s or (process is not None and now_s < process.cut_off_until_s)

    async def call(self, action: Callable[[], T], lost: Callable[[], Exception], *, work_s: float = 0.0) -> T:
        """Let a server take `action`, which takes it `work_s`, and return or raise its answer.

        Raise `lost` when there is none in time.
        """
        process, answer = current_process(), self.loop.create_future()

        def arrive() -> None:
            if self.is_cut_off(process):
                return
            try:
                result, error = action(), None
            except Exception as raised:  # noqa: BLE001 - whatever the server answers is the caller's
                result, error = None, raised
            if not self.strikes(self.rates.lost_answers) and not self.is_cut_off(process):
                self.later(self.latency_s() + work_s, lambda: _settle(answer, result, error))

        if not self.is_cut_off(process) and not self.strikes(self.rates.lost_requests):
            self.later(self.latency_s(), arrive)
        timer = self.loop.call_later(CALL_TIMEOUT_S + work_s, lambda: _settle(answer, None, lost()))
        try:
            return await answer
        finally:
            timer.cancel()

    def send(self, action: Callable[[], None], loss_rate: float = 0.0) -> None:
        """Let a server take `action`, without an answer."""
        process = current_process()
        if not self.is_cut_off(process) and not self.strikes(loss_rate):
            self.later(self.latency_s(), lambda: None if self.is_cut_off(process) else action())


def _settle(answer: asyncio.Future[T], result: T, error: Exception | None) -> None:
    if answer.done():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(result)
