"""Which moments of a run are worth a picture: those at which something happened."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.models.simulation import PhysicalEvent

MOST = 8
APART_S = 0.08
"""What happens nearer to another moment than this is told in its picture."""
MOST_TOLD = 3
"""Events in one caption, which must fit into a picture."""
CHOICE = (
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
"""Kinds of events; where there are too many, the later in this list go first."""
IN_WORDS = {
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
    """A time, and what happened then: a line for each event."""

    time_s: float
    lines: tuple[str, ...]

    @property
    def caption(self) -> str:
        """Return the lines as one."""
        return "; ".join(self.lines)


def moments(events: Sequence[PhysicalEvent], low_s: float, high_s: float) -> tuple[Moment, ...]:
    """Return at most eight moments between two times, in order, each with all that happened about then.

    A run in which nothing happened, or a window of it, is shown at its two ends.
    """
    inside = [event for event in events if low_s - 1e-9 <= event.time_s <= high_s + 1e-9]
    chosen: list[PhysicalEvent] = []
    for event in sorted(inside, key=lambda each: (_weight(each, inside), each.time_s)):
        if len(chosen) < MOST and all(abs(event.time_s - other.time_s) >= APART_S for other in chosen):
            chosen.append(event)
    if not chosen:
        return tuple(Moment(time_s, (f"{time_s:.2f} s",)) for time_s in dict.fromkeys((low_s, high_s)))
    chosen.sort(key=lambda each: each.time_s)
    return tuple(Moment(event.time_s, _lines(event, inside)) for event in chosen)


def _weight(event: PhysicalEvent, all_events: Sequence[PhysicalEvent]) -> tuple[bool, int]:
    """Return how late to choose it: what is the first of its kind comes before what happens again."""
    is_again = any(other.kind == event.kind and other.time_s < event.time_s for other in all_events)
    return is_again, CHOICE.index(event.kind)


def _lines(event: PhysicalEvent, all_events: Sequence[PhysicalEvent]) -> tuple[str, ...]:
    near = [other for other in all_events if other is not event and abs(other.time_s - event.time_s) < APART_S / 2]
    told = list(dict.fromkeys(_words(each) for each in (event, *near)))
    first = f"{event.time_s:.2f} s  {told[0]}"
    more = (f"and {len(told) - MOST_TOLD} more",) if len(told) > MOST_TOLD else ()
    return (first, *told[1:MOST_TOLD], *more)


def _words(event: PhysicalEvent) -> str:
    value = "" if event.value is None else f" ({event.value:.3g} {event.unit})"
    other = f" {event.other}" if event.other else ""
    return f"{event.subject}: {IN_WORDS[event.kind]}{other}{value}".replace("_", " ")
