"""Which projections each class of event has, and the rows that an event makes."""

from collections.abc import Iterator, Mapping

from contracts.envelope import Event
from sqlalchemy import Table

from store.read_models.projections import (
    cells,
    conversations,
    designs,
    failures,
    journals,
    questions,
    reviews,
    runs,
    simulations,
    skills,
    trials,
)
from store.read_models.row import Projection, Row

VERSION = 5
"""Increase it with every change of a projection: `millwright migrate` then rebuilds all read models from the log."""

TABLES: tuple[Table, ...] = (
    runs.RUNS,
    conversations.CONVERSATIONS,
    conversations.MODEL_CALLS,
    cells.CELLS,
    cells.FILES,
    simulations.SIMULATIONS,
    designs.DESIGNS,
    designs.PARTS,
    reviews.REVIEWS,
    journals.JOURNAL_ENTRIES,
    skills.SKILLS,
    skills.SKILL_OFFERS,
    skills.PINNED_SKILLS,
    skills.SKILL_OPENINGS,
    trials.TRIALS,
    trials.TRIAL_RUNS,
    questions.QUESTIONS,
    failures.FAILURES,
)
"""All read models, in the order in which every process writes them: two that write the same rows wait for each other
in one order only."""

_GROUPS = (
    runs,
    conversations,
    cells,
    simulations,
    designs,
    reviews,
    journals,
    skills,
    trials,
    questions,
    failures,
)


def _projections() -> Mapping[type[Event], tuple[Projection, ...]]:
    found: dict[type[Event], tuple[Projection, ...]] = {}
    for group in _GROUPS:
        for event_class, projection in group.PROJECTIONS.items():
            found[event_class] = (*found.get(event_class, ()), projection)
    return found


PROJECTIONS = _projections()
"""The projections of each class that has any. Every event counts in its run besides, whatever its class."""
READ_TYPES = frozenset(event_class.__name__ for event_class in PROJECTIONS)


def rows_of(event: Event, sequence: int) -> Iterator[Row]:
    """Yield what an event contributes to the read models; `sequence`: its place in the stream."""
    yield runs.counted(event.run_id, event.kind, event.occurred_at)
    for projection in PROJECTIONS.get(type(event), ()):
        yield from projection(event, sequence)
