"""From a delivered message to its effects: read, look up, act, publish, acknowledge."""

import logging
import random

from contracts.envelope import Event, outcome_id
from contracts.language import UnknownSubjectError, class_at, parse
from faststream.nats import NatsMessage
from nats.aio.msg import Msg
from opentelemetry.trace import Tracer
from pydantic import ValidationError

from chassis.abandoning import Cause, abandon
from chassis.bus import ENDINGS, Bus
from chassis.duties import Duty, NotDueError
from chassis.errors import EventTooLargeError
from chassis.heart import Heart
from chassis.settings import BusSettings

_log = logging.getLogger(__name__)


class Desk:
    """Where the messages of one service are worked on, whatever duty they fall under."""

    def __init__(self, settings: BusSettings, bus: Bus, heart: Heart, tracer: Tracer) -> None:
        self._settings = settings
        self._bus = bus
        self._heart = heart
        self._tracer = tracer

    async def work(self, duty: Duty, delivered: NatsMessage) -> None:
        """Do what `duty` demands of one message, and tell the server how it went."""
        message = delivered.raw_message
        if not _concerns(duty, message.subject):
            await message.ack()
            return
        try:
            event = _read(message)
        except (ValidationError, ValueError) as error:
            await self._abandon(duty, message, Cause("bad_input", str(error)))
            return
        if duty.gives_up and message.metadata.num_delivered > self._settings.bus_max_deliver:
            detail = f"delivered {self._settings.bus_max_deliver} times, and no worker lived to finish it"
            await self._abandon(duty, message, Cause("exhausted", detail), event)
            return
        with self._heart.beating(message.reply):
            await self._try(duty, message, event)

    async def _try(self, duty: Duty, message: Msg, event: Event) -> None:
        try:
            await self._act(duty, event)
        except NotDueError as early:
            await message.nak(delay=early.delay_s)
        except EventTooLargeError as error:
            await self._abandon(duty, message, Cause("too_large", str(error)), event)
        except Exception as error:  # noqa: BLE001 - the one place where surprises end: they are tried again, then said aloud
            await self._try_again(duty, message, event, error)
        else:
            await message.ack()

    async def _act(self, duty: Duty, event: Event) -> None:
        if await self._is_over(duty, event) or (duty.answers and await self._is_answered(event)):
            return
        deed = duty.deeds[type(event)]
        early: NotDueError | None = None
        with self._tracer.start_as_current_span(f"{duty.service} {deed.name}", attributes=_attributes(event)):
            try:
                for effect in await deed.act(event):
                    await self._bus.publish(effect)
            except NotDueError as error:
                early = error  # raised again where no span takes it for a failure
        if early is not None:
            raise early

    async def _is_answered(self, event: Event) -> bool:
        return await self._bus.find(event.run_id, event.role, outcome_id(event.id)) is not None

    async def _is_over(self, duty: Duty, event: Event) -> bool:
        """Tell whether the run has ended; the end itself is news to everyone who listens for it."""
        if duty.after_end or (duty.manner == "hears" and isinstance(event, ENDINGS)):
            return False
        return await self._bus.ended(event.run_id) is not None

    async def _try_again(self, duty: Duty, message: Msg, event: Event, error: Exception) -> None:
        tries = message.metadata.num_delivered
        _log.warning("%s: try %d of %s failed", duty.durable, tries, message.subject, exc_info=error)
        if duty.gives_up and tries >= self._settings.bus_max_deliver:
            detail = f"failed {tries} times, last with {type(error).__name__}: {error}"
            await self._abandon(duty, message, Cause("exhausted", detail), event)
        else:
            await message.nak(delay=retry_delay_s(tries, self._settings))

    async def _abandon(self, duty: Duty, message: Msg, cause: Cause, event: Event | None = None) -> None:
        await abandon(message, duty, cause, event, self._bus)


def retry_delay_s(tries: int, settings: BusSettings) -> float:
    """Return how long to wait after the given number of tries: doubling, limited, with jitter against stampedes."""
    delay_s = min(settings.bus_retry_delay_s * 2.0 ** min(tries - 1, 30), settings.bus_max_retry_delay_s)
    return delay_s * random.uniform(0.75, 1.25)  # noqa: S311 - jitter, no secret


def _concerns(duty: Duty, subject: str) -> bool:
    try:
        return class_at(subject) in duty.deeds
    except UnknownSubjectError:
        return False


def _read(message: Msg) -> Event:
    event = parse(message.subject, message.data)
    if event.full_subject != message.subject:
        raise ValueError(f"the content says {event.full_subject}, the subject {message.subject}")
    return event


def _attributes(event: Event) -> dict[str, str]:
    return {
        "millwright.run_id": str(event.run_id),
        "millwright.role": event.role,
        "millwright.event": type(event).__name__,
        "millwright.event_id": str(event.id),
    }
