"""From a delivered message to its effects: read, look up, act, publish, acknowledge."""

import logging

from contracts.envelope import Event, outcome_id
from contracts.registry import UnknownSubjectError, class_at
from faststream.nats import NatsMessage
from nats.aio.msg import Msg

from chassis.bus import ENDINGS, Bus
from chassis.delivery.dead_letter import Cause, abandon
from chassis.delivery.in_flight import InFlight
from chassis.delivery.keepalive import AckKeepalive
from chassis.delivery.run_cancellation import RunCancellation
from chassis.delivery.subscription import RedeliverLaterError, Subscription
from chassis.errors import DrainingError, EventTooLargeError, LeaseLostError, RunEndedError, UnreadableError
from chassis.observability.tracing import Tracing
from chassis.recovery.backoff import backoff_s
from chassis.recovery.outages import Outages
from chassis.settings import BusSettings
from chassis.stream.large_fields import LargeFields
from chassis.stream.parser import parse_message

_log = logging.getLogger(__name__)


class MessageProcessor:
    """Where the messages of one service are worked on, whatever duty they fall under."""

    def __init__(  # noqa: PLR0913, PLR0917 - what work needs
        self,
        settings: BusSettings,
        bus: Bus,
        heart: AckKeepalive,
        tracing: Tracing,
        outages: Outages,
        endings: RunCancellation,
        progress: InFlight,
        large_fields: LargeFields,
    ) -> None:
        self._settings = settings
        self._bus = bus
        self._heart = heart
        self._tracing = tracing
        self._outages = outages
        self._endings = endings
        self._progress = progress
        self._large_fields = large_fields

    async def process(self, duty: Subscription, delivered: NatsMessage) -> None:
        """Do what `duty` demands of one message, and tell the server how it went.

        A message that comes again while it is worked on here, as after the server's restart, is left alone: the
        signs of life and the acknowledgement of its first delivery count for it.
        """
        message = delivered.raw_message
        with self._progress.in_hand(duty.durable, message.metadata.sequence.stream) as is_new:
            if not is_new:
                _log.info("%s has %s in hand already", duty.durable, message.subject)
            elif not _concerns(duty, message.subject):
                await message.ack()
            else:
                with self._heart.keep(message.reply), self._tracing.carried_by(message.headers):
                    await self._take(duty, message)

    async def _take(self, duty: Subscription, message: Msg) -> None:
        try:
            event = parse_message(message.subject, message.data)
        except UnreadableError as error:
            await self._abandon(duty, message, Cause(error.reason, str(error)))
            return
        if duty.limits_attempts and message.metadata.num_delivered > self._settings.bus_max_deliver:
            detail = f"delivered {self._settings.bus_max_deliver} times, and no worker lived to finish it"
            await self._abandon(duty, message, Cause("exhausted", detail), event)
            return
        await self._try(duty, message, event)

    async def _try(self, duty: Subscription, message: Msg, event: Event) -> None:
        try:
            await self._act_until_end(duty, event)
        except RedeliverLaterError as early:
            await message.nak(delay=early.delay_s)
        except (DrainingError, LeaseLostError) as error:
            _log.warning("%s leaves %s to the next process: %s", duty.durable, message.subject, error)
            await message.nak(
                delay=backoff_s(1, self._settings.bus_retry_delay_s, self._settings.bus_max_retry_delay_s)
            )
        except RunEndedError as over:
            _log.info("%s stopped its work on %s: %s", duty.durable, message.subject, over)
            await message.ack()
        except UnreadableError as error:
            await self._abandon(duty, message, Cause(error.reason, str(error)), event)
        except EventTooLargeError as error:
            await self._abandon(duty, message, Cause("too_large", str(error)), event)
        except Exception as error:  # noqa: BLE001 - the one place where surprises end: they are tried again, then said aloud
            await self._try_again(duty, message, event, error)
        else:
            await message.ack()

    async def _act_until_end(self, duty: Subscription, event: Event) -> None:
        async def act() -> None:
            await self._outages.retry(f"{duty.durable} with {event.full_subject}", lambda: self._act(duty, event))

        if duty.after_end or isinstance(event, ENDINGS):
            await act()
        else:
            await self._endings.until_end(event.run_id, act())

    async def _act(self, duty: Subscription, event: Event) -> None:
        if await self._is_over(duty, event) or (duty.has_outcome and await self._is_answered(event)):
            return
        deed = duty.handlers[type(event)]
        early: RedeliverLaterError | None = None
        with self._tracing.handling(f"{duty.service} {deed.name}", event):
            try:
                if duty.fence is not None:
                    await duty.fence()
                for effect in await deed.act(await self._large_fields.restore(event)):
                    await self._bus.publish(effect, duty.fence)
            except RedeliverLaterError as error:
                early = error  # raised again where no span takes it for a failure
        if early is not None:
            raise early

    async def _is_answered(self, event: Event) -> bool:
        return await self._bus.find(event.run_id, event.role, outcome_id(event.id)) is not None

    async def _is_over(self, duty: Subscription, event: Event) -> bool:
        """Tell whether the run has ended; the end itself is news to everyone who listens for it."""
        if duty.after_end or (duty.mode == "hears" and isinstance(event, ENDINGS)):
            return False
        return await self._endings.has_ended(event.run_id)

    async def _try_again(self, duty: Subscription, message: Msg, event: Event, error: Exception) -> None:
        tries = message.metadata.num_delivered
        _log.warning("%s: try %d of %s failed", duty.durable, tries, message.subject, exc_info=error)
        if duty.limits_attempts and tries >= self._settings.bus_max_deliver:
            detail = f"failed {tries} times, last with {type(error).__name__}: {error}"
            await self._abandon(duty, message, Cause("exhausted", detail), event)
        else:
            settings = self._settings
            await message.nak(delay=backoff_s(tries, settings.bus_retry_delay_s, settings.bus_max_retry_delay_s))

    async def _abandon(self, duty: Subscription, message: Msg, cause: Cause, event: Event | None = None) -> None:
        await abandon(message, duty, cause, event, self._bus)


def _concerns(duty: Subscription, subject: str) -> bool:
    try:
        return class_at(subject) in duty.handlers
    except UnknownSubjectError:
        return False
