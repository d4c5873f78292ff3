"""What the limits that end a run from outside have in common, whichever role owns the run."""

from typing import Any, TypeVar

from contracts.envelope import Event
from contracts.events.dead_letters import MessageAbandoned
from contracts.registry import UnknownSubjectError, class_at

E = TypeVar("E", bound=Event)


def caused_by(cause: Event, end: E) -> E:
    """Return the end of a run, which answers its request, with the event that led to it."""
    changes: dict[str, Any] = {"causation_id": cause.id}
    return end.model_copy(update=changes)


def abandonment(dead_letter: MessageAbandoned) -> str:
    """Return who gave up what, and why."""
    subject, reason = dead_letter.abandoned_subject, dead_letter.reason
    return f"{dead_letter.consumer} gave up {subject} ({reason}): {dead_letter.detail}"


def abandons_one_of(dead_letter: MessageAbandoned, requests: tuple[type[Event], ...]) -> bool:
    """Return whether the message that was given up is one of these requests."""
    try:
        return class_at(dead_letter.abandoned_subject) in requests
    except UnknownSubjectError:
        return False
