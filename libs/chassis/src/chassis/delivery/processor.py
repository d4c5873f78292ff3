"""From a delivered message to its effects: parse, look up, call the handler, publish, acknowledge."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from uuid import UUID

from contracts.envelope import Event, outcome_id
from contracts.registry import ENDINGS, UnknownSubjectError, class_at
from faststream.nats import NatsMessage
from nats.aio.msg import Msg

from chassis.bus import Bus
from chassis.delivery.attempts import Attempts, DeliveryAttempt
from chassis.delivery.dead_letter import Cause, abandon
from chassis.delivery.isolation import Isolation
from chassis.delivery.keepalive import InFlight
from chassis.delivery.run_cancellation import RunCancellation
from chassis.delivery.subscription import RedeliverLaterError, Subscription
from chassis.delivery.worker_slot import WorkerSlots, free_worker
from chassis.errors import (
    AttemptsExhaustedError,
    DrainingError,
    EventTooLargeError,
    FutureVersionError,
    HandedBackError,
    LeaseLostError,
    PartialOutageError,
    RunEndedError,
    UnreadableError,
)
from chassis.observability.telemetry import Telemetry
from chassis.retry import Outages, backoff_s
from chassis.settings import BusSettings
from chassis.stream.large_fields import LargeFields
from chassis.stream.parser import parse_message
from chassis.subjects import Address, SubscriptionMode

_log = logging.getLogger(__name__)


class MessageProcessor:
    """Processes the messages of all subscriptions of one service."""

    def __init__(  # noqa: PLR0913, PLR0917 - each is one step of the way
        self,
        settings: BusSettings,
        bus: Bus,
        telemetry: Telemetry,
        outages: Outages,
        cancellation: RunCancellation,
        in_flight: InFlight,
        large_fields: LargeFields,
        attempts: Attempts,
    ) -> None:
        self.isolation = Isolation()
        """Shared by apps that share a process."""
        self._settings = settings
        self._bus = bus
        self._telemetry = telemetry
        self._outages = outages
        self._cancellation = cancellation
        self._in_flight = in_flight
        self._large_fields = large_fields
        self._attempts = attempts
        self._slots = WorkerSlots()
        self._from_future: dict[str, float] = {}
        """When each message of a newer version was delivered last."""

    async def process(self, subscription: Subscription, delivered: NatsMessage) -> None:
        """Handle one message and acknowledge it, have it delivered again, or abandon it.

        Returns earlier if the handler frees its worker. A message that is delivered again while the app works on it, as
        after a restart of the server, is ignored: the keepalive and the acknowledgement of its first delivery count for
        it.
        """
        message = delivered.raw_message
        await self._slots.run(self._hold(subscription, message), f"{subscription.durable} with {message.subject}")

    async def stop(self) -> None:
        """Wait for the messages in hand, and hand back after `bus_drain_s` what is left."""
        await self._slots.stop(self._settings.bus_drain_s)

    def problem(self) -> str | None:
        """Return how many messages wait for a newer version of this service, if any do."""
        # Each is delivered again after a pause; a busy server may be late by as much as its acknowledgement wait.
        late_s = 2 * self._settings.bus_max_retry_delay_s + self._settings.bus_ack_wait_s
        oldest_s = time.monotonic() - late_s
        self._from_future = {subject: at_s for subject, at_s in self._from_future.items() if at_s >= oldest_s}
        if not self._from_future:
            return None
        example = next(iter(self._from_future))
        return f"{len(self._from_future)} messages, such as {example}, wait for a newer version: update this service"

    async def _hold(self, subscription: Subscription, message: Msg) -> None:
        with self._in_flight.hold(subscription.durable, [message]) as is_new:
            if not is_new:
                _log.info("%s works on %s already", subscription.durable, message.subject)
            elif not _has_handler(subscription, message.subject):
                await message.ack()
            else:
                with self._telemetry.tracing.carried_by(message.subject, message.headers):
                    await self._process(subscription, message)

    async def _process(self, subscription: Subscription, message: Msg) -> None:
        attempt = await self._attempts.begin(subscription, message)
        try:
            attempt.require_left()
            async with self._in_hand(attempt):
                await self._try(subscription, message, attempt)
        except AttemptsExhaustedError as error:
            await abandon(message, subscription, Cause(error.reason, str(error)), None, self._bus)
        except asyncio.CancelledError:  # the app stops
            await self._hand_back(message, attempt)
            raise

    @asynccontextmanager
    async def _in_hand(self, attempt: DeliveryAttempt) -> AsyncGenerator[None]:
        """Work on a message beside others, or alone if it may have killed a process."""
        if not attempt.is_suspect:
            async with self.isolation.in_company():
                yield
            return
        async with self.isolation.alone() as is_alone:
            if is_alone:
                await attempt.start_alone()
            yield

    async def _try(self, subscription: Subscription, message: Msg, attempt: DeliveryAttempt) -> None:
        event: Event | None = None
        try:
            event = parse_message(message.subject, message.data)
            await self._handle_until_end(subscription, event, attempt)
        except RedeliverLaterError as later:
            await message.nak(delay=later.delay_s)
        except (DrainingError, LeaseLostError, HandedBackError) as error:
            _log.warning("%s hands %s back: %s", subscription.durable, message.subject, error)
            await self._hand_back(message, attempt)
        except RunEndedError as over:
            _log.info("%s stopped its work on %s: %s", subscription.durable, message.subject, over)
            await message.ack()
        except FutureVersionError as error:
            await self._leave_to_newer(subscription, message, attempt, error)
        except (UnreadableError, EventTooLargeError) as error:
            await abandon(message, subscription, Cause(error.reason, str(error)), event, self._bus)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is tried again, then abandoned
            await self._try_again(subscription, message, attempt, event, error)
        else:
            await message.ack()

    async def _handle_until_end(self, subscription: Subscription, event: Event, attempt: DeliveryAttempt) -> None:
        """Handle an event, waiting for the end of outages; raise `RunEndedError` if the run ends meanwhile."""
        name = f"{subscription.durable} with {event.full_subject}"
        waiting = partial(self._waiting, attempt)
        work = self._outages.retry(name, partial(self._handle, subscription, event), waiting)
        if subscription.after_end or isinstance(event, ENDINGS):
            await work
        else:
            await self._cancellation.until_end(event.run_id, work)

    async def _handle(self, subscription: Subscription, event: Event) -> None:
        """Call the handler and publish its events, unless there is nothing left to do."""
        if await self._is_over(subscription, type(event), event.run_id) or await self._is_answered(subscription, event):
            return
        handler = subscription.handlers[type(event)]
        later: RedeliverLaterError | FutureVersionError | None = None
        with self._telemetry.handling(f"{subscription.service} {handler.name}", event):
            try:
                if subscription.fence is not None:
                    await subscription.fence()
                for effect in await handler.call(await self._large_fields.restore(event)):
                    await self._bus.publish(effect, subscription.fence)
            except (RedeliverLaterError, FutureVersionError) as error:
                later = error  # raised below, outside of the span, which would record it as a failure
        if later is not None:
            raise later

    async def _is_answered(self, subscription: Subscription, event: Event) -> bool:
        if not subscription.has_outcome:
            return False
        return await self._bus.is_stored(event.run_id, event.role, outcome_id(event.id))

    async def _is_over(self, subscription: Subscription, event_class: type[Event], run_id: UUID) -> bool:
        """Return whether the run has ended; subscriptions to the end itself still have to handle it."""
        if subscription.after_end or (subscription.mode is SubscriptionMode.SUBSCRIBE and event_class in ENDINGS):
            return False
        return await self._cancellation.has_ended(run_id)

    @asynccontextmanager
    async def _waiting(self, attempt: DeliveryAttempt, error: Exception) -> AsyncGenerator[None]:
        """Wait for the end of an outage; raise `HandedBackError` if that would hold up others."""
        if attempt.is_alone:
            raise HandedBackError("it is worked on alone, so that it cannot wait for the end of an outage")
        if isinstance(error, PartialOutageError) and not free_worker(error.key):
            raise HandedBackError(f"too many messages wait for {error.key} already")
        async with self.isolation.away():
            yield

    async def _hand_back(self, message: Msg, attempt: DeliveryAttempt) -> None:
        """Leave a message to the next delivery, without counting this one."""
        await attempt.hand_back()
        await message.nak(delay=self._pause_s(1))

    async def _leave_to_newer(
        self, subscription: Subscription, message: Msg, attempt: DeliveryAttempt, error: FutureVersionError
    ) -> None:
        """Leave a message to a newer version of this service, unless its run has ended; no attempt is counted.

        The message itself is of a newer version, or an event that its handler has read.
        """
        try:
            run_id = Address.of(message.subject).run_id
        except ValueError:
            await abandon(message, subscription, Cause(error.reason, str(error)), None, self._bus)
            return
        if await self._is_over(subscription, class_at(message.subject), run_id):
            await message.ack()
            return
        _log.warning("%s leaves %s to a newer version: %s", subscription.durable, message.subject, error)
        self._from_future[message.subject] = time.monotonic()
        await attempt.hand_back()
        await message.nak(delay=self._pause_s(attempt.delivered))

    async def _try_again(
        self, subscription: Subscription, message: Msg, attempt: DeliveryAttempt, event: Event | None, error: Exception
    ) -> None:
        number = attempt.number
        self._telemetry.count_failed_attempt(subscription.durable, error)
        _log.warning("%s: attempt %d of %s failed", subscription.durable, number, message.subject, exc_info=error)
        if await attempt.fail():
            await message.nak(delay=self._pause_s(number))
        else:
            detail = f"failed {number} times, last with {type(error).__name__}: {error}"
            await abandon(message, subscription, Cause("exhausted", detail), event, self._bus)

    def _pause_s(self, attempt: int) -> float:
        return backoff_s(attempt, self._settings.bus_retry_delay_s, self._settings.bus_max_retry_delay_s)


def _has_handler(subscription: Subscription, subject: str) -> bool:
    try:
        return class_at(subject) in subscription.handlers
    except UnknownSubjectError:
        return False
