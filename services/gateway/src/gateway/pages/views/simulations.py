"""What of a run can be seen in 3D, by the cursors of its events."""

from collections.abc import Sequence
from typing import NamedTuple

from run_report.replays import SHOWN, Simulation, simulations_of
from store.log import PlacedEvent

from gateway.http.cursors import EVENT_CURSOR, event_cursor

TYPES = tuple(each.__name__ for each in SHOWN)
"""Classes of events that make up the list."""
SIMULATION_CURSOR = rf"{EVENT_CURSOR[:-1]}(\.\d{{1,3}})?$"


class ShownSimulation(NamedTuple):
    """A simulation, a design or a world."""

    cursor: str
    """Of its event, with its number unless it is the first."""
    simulation: Simulation


def shown_simulations(events: Sequence[PlacedEvent]) -> list[ShownSimulation]:
    """Return what can be seen of a run; the first is shown first."""
    cursors = {placed.event.id: event_cursor(placed.position) for placed in events}
    return [
        ShownSimulation(cursors[each.event_id] + (f".{each.number}" if each.number else ""), each)
        for each in simulations_of([placed.event for placed in events])
    ]
