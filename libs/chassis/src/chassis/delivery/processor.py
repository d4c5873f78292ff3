"""From a delivered message to its effects: parse, look up, call the handler, publish, acknowledge."""

import logging
from functools import partial

from contracts.envelope import Event, outcome_id
from contracts.registry import UnknownSubjectError, class_at
from faststream.nats import NatsMessage
from nats.aio.msg import Msg

from chassis.bus import ENDINGS, Bus
from chassis.delivery.dead_letter import Cause, abandon
from chassis.delivery.keepalive import InFlight
from chassis.delivery.run_cancellation import RunCancellation
from chassis.delivery.subscription import RedeliverLaterError, Subscription
from chassis.errors import (
    AttemptsExhaustedError,
    DrainingError,
    EventTooLargeError,
    LeaseLostError,
    RunEndedError,
    UnreadableError,
)
from chassis.observability.tracing import Tracing
from chassis.recovery.retry import Outages, backoff_s
from chassis.settings import BusSettings
from chassis.stream.large_fields import LargeFields
from chassis.stream.parser import parse_message
from chassis.stream.subjects import SubscriptionMode

_log = logging.getLogger(__name__)


class MessageProcessor:
    """Processes the messages of all subscriptions of one service."""

    def __init__(  # noqa: PLR0913, PLR0917 - each is one step of the way
        self,
        settings: BusSettings,
        bus: Bus,
        tracing: Tracing,
        outages: Outages,
        cancellation: RunCancellation,
        in_flight: InFlight,
        large_fields: LargeFields,
    ) -> None:
        self._settings = settings
        self._bus = bus
        self._tracing = tracing
        self._outages = outages
        self._cancellation = cancellation
        self._in_flight = in_flight
        self._large_fields = large_fields

    async def process(self, subscription: Subscription, delivered: NatsMessage) -> None:
        """Handle one message and acknowledge it, have it delivered again, or abandon it.

        A message that is delivered again while the app works on it, as after a restart of the server, is ignored: the
        keepalive and the acknowledgement of its first delivery count for it.
        """
        message = delivered.raw_message
        with self._in_flight.hold(subscription.durable, [message]) as is_new:
            if not is_new:
                _log.info("%s works on %s already", subscription.durable, message.subject)
            elif not _has_handler(subscription, message.subject):
                await message.ack()
            else:
                with self._tracing.carried_by(message.headers):
                    await self._process(subscription, message)

    async def _process(self, subscription: Subscription, message: Msg) -> None:
        event: Event | None = None
        try:
            event = parse_message(message.subject, message.data)
            self._require_attempts_left(subscription, message)
            await self._handle_until_end(subscription, event)
        except RedeliverLaterError as later:
            await message.nak(delay=later.delay_s)
        except (DrainingError, LeaseLostError) as error:
            _log.warning("%s leaves %s to the next process: %s", subscription.durable, message.subject, error)
            await message.nak(delay=self._pause_s(1))
        except RunEndedError as over:
            _log.info("%s stopped its work on %s: %s", subscription.durable, message.subject, over)
            await message.ack()
        except (UnreadableError, AttemptsExhaustedError, EventTooLargeError) as error:
            await abandon(message, subscription, Cause(error.reason, str(error)), event, self._bus)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is tried again, then abandoned
            await self._try_again(subscription, message, event, error)
        else:
            await message.ack()

    def _require_attempts_left(self, subscription: Subscription, message: Msg) -> None:
        """Raise `AttemptsExhaustedError` for a message whose last attempt killed the process."""
        if subscription.limits_attempts and message.metadata.num_delivered > self._settings.bus_max_deliver:
            raise AttemptsExhaustedError(
                f"delivered {self._settings.bus_max_deliver} times, and no process lived to acknowledge it"
            )

    async def _handle_until_end(self, subscription: Subscription, event: Event) -> None:
        """Handle an event, waiting for the end of outages; raise `RunEndedError` if the run ends meanwhile."""
        name = f"{subscription.durable} with {event.full_subject}"
        work = self._outages.retry(name, partial(self._handle, subscription, event))
        if subscription.after_end or isinstance(event, ENDINGS):
            await work
        else:
            await self._cancellation.until_end(event.run_id, work)

    async def _handle(self, subscription: Subscription, event: Event) -> None:
        """Call the handler and publish its events, unless there is nothing left to do."""
        if await self._is_over(subscription, event) or await self._is_answered(subscription, event):
            return
        handler = subscription.handlers[type(event)]
        later: RedeliverLaterError | None = None
        with self._tracing.handling(f"{subscription.service} {handler.name}", event):
            try:
                if subscription.fence is not None:
                    await subscription.fence()
                for effect in await handler.call(await self._large_fields.restore(event)):
                    await self._bus.publish(effect, subscription.fence)
            except RedeliverLaterError as error:
                later = error  # raised below, outside of the span, which would record it as a failure
        if later is not None:
            raise later

    async def _is_answered(self, subscription: Subscription, event: Event) -> bool:
        if not subscription.has_outcome:
            return False
        return await self._bus.find(event.run_id, event.role, outcome_id(event.id)) is not None

    async def _is_over(self, subscription: Subscription, event: Event) -> bool:
        """Return whether the run has ended; subscriptions to the end itself still have to handle it."""
        if subscription.after_end or (subscription.mode is SubscriptionMode.SUBSCRIBE and isinstance(event, ENDINGS)):
            return False
        return await self._cancellation.has_ended(event.run_id)

    async def _try_again(self, subscription: Subscription, message: Msg, event: Event | None, error: Exception) -> None:
        attempt = message.metadata.num_delivered
        _log.warning("%s: attempt %d of %s failed", subscription.durable, attempt, message.subject, exc_info=error)
        if subscription.limits_attempts and attempt >= self._settings.bus_max_deliver:
            detail = f"failed {attempt} times, last with {type(error).__name__}: {error}"
            await abandon(message, subscription, Cause("exhausted", detail), event, self._bus)
        else:
            await message.nak(delay=self._pause_s(attempt))

    def _pause_s(self, attempt: int) -> float:
        return backoff_s(attempt, self._settings.bus_retry_delay_s, self._settings.bus_max_retry_delay_s)


def _has_handler(subscription: Subscription, subject: str) -> bool:
    try:
        return class_at(subject) in subscription.handlers
    except UnknownSubjectError:
        return False
