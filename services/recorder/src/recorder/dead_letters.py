"""Letters about messages that no other service reads: the recorder, which reads all, says that they are unreadable."""

from chassis.delivery.dead_letter import FailedMessage, dead_letter
from chassis.observability.lag import RECORDER
from chassis.stream.subjects import recording_durable_name
from contracts import publishers
from contracts.envelope import Event
from contracts.events.dead_letters import MessageAbandoned
from contracts.registry import UnknownSubjectError, class_at

from recorder.parser import Misread

UNHEARD: frozenset[type[Event]] = frozenset(publishers.UNCONSUMED)
"""Classes for which no service has a consumer; a test holds this to what the services wire."""


def letter(misread: Misread) -> MessageAbandoned | None:
    """Return what is to be said of an unreadable message; None when the service that reads its class says it."""
    if not _is_ours(misread.kept.subject):
        return None
    given_up = FailedMessage(misread.kept.subject, misread.kept.stream_sequence, recording_durable_name(RECORDER))
    return dead_letter(given_up, misread.cause, RECORDER)


def _is_ours(subject: str) -> bool:
    try:
        return class_at(subject) in UNHEARD
    except UnknownSubjectError:
        return True
