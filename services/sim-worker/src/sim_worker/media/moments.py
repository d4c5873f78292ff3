"""The moments of a run that get a picture: those of its physical events."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.models.simulation import PhysicalEvent

MAX_MOMENTS = 8
MIN_GAP_S = 0.08
"""Events closer to another moment than this share its picture."""
MAX_CAPTION_EVENTS = 3
"""Events in one caption, which must fit into a picture."""
PRIORITY = (
    "touched_forbid",
    "overloaded",
    "left_bounds",
    "decided",
    "released",
    "entered_goal",
    "joint_at_limit",
    "closest_to_goal",
    "left_goal",
    "contact",
    "motor_stalled",
    "at_rest",
    "fastest",
    "lost_contact",
)
"""Kinds of events, most important first."""
EVENT_TEXTS = {
    "released": "released",
    "contact": "touches",
    "lost_contact": "leaves",
    "entered_goal": "enters",
    "left_goal": "leaves",
    "touched_forbid": "touches forbidden",
    "left_bounds": "leaves the bounds",
    "closest_to_goal": "nearest to",
    "fastest": "fastest",
    "joint_at_limit": "at its limit",
    "motor_stalled": "stalls",
    "overloaded": "overloaded",
    "at_rest": "at rest",
    "decided": "decided,",
}


@dataclass(frozen=True)
class Moment:
    """A time and the events at about that time, in a few words each."""

    time_s: float
    events: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each event, the first with the time."""
        time = f"{self.time_s:.2f} s"
        return (f"{time}  {self.events[0]}", *self.events[1:]) if self.events else (time,)

    @property
    def caption(self) -> str:
        """All lines in one."""
        return "; ".join(self.lines)


def key_moments(events: Sequence[PhysicalEvent], low_s: float, high_s: float) -> tuple[Moment, ...]:
    """Return at most eight moments between two times, in order, each with all events at about that time.

    Without any event there, return the two ends.
    """
    inside = [event for event in events if low_s - 1e-9 <= event.time_s <= high_s + 1e-9]
    chosen: list[PhysicalEvent] = []
    for event in sorted(inside, key=lambda each: (_rank(each, inside), each.time_s)):
        if len(chosen) < MAX_MOMENTS and all(abs(event.time_s - other.time_s) >= MIN_GAP_S for other in chosen):
            chosen.append(event)
    if not chosen:
        return tuple(Moment(time_s, ()) for time_s in dict.fromkeys((low_s, high_s)))
    chosen.sort(key=lambda each: each.time_s)
    return tuple(Moment(event.time_s, _events_at(event, inside)) for event in chosen)


def _rank(event: PhysicalEvent, all_events: Sequence[PhysicalEvent]) -> tuple[bool, int]:
    """Return the order of choice: the first event of each kind comes before repetitions."""
    is_repeated = any(other.kind == event.kind and other.time_s < event.time_s for other in all_events)
    return is_repeated, PRIORITY.index(event.kind)


def _events_at(event: PhysicalEvent, all_events: Sequence[PhysicalEvent]) -> tuple[str, ...]:
    near = [other for other in all_events if other is not event and abs(other.time_s - event.time_s) < MIN_GAP_S / 2]
    texts = list(dict.fromkeys(_text(each) for each in (event, *near)))
    omitted = len(texts) - MAX_CAPTION_EVENTS
    more = (f"and {omitted} more",) if omitted > 0 else ()
    return (*texts[:MAX_CAPTION_EVENTS], *more)


def _text(event: PhysicalEvent) -> str:
    value = "" if event.value is None else f" ({event.value:.3g} {event.unit})"
    other = f" {event.other}" if event.other else ""
    return f"{event.subject}: {EVENT_TEXTS[event.kind]}{other}{value}".replace("_", " ")
