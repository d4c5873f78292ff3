"""The simulations of a run that can be replayed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.envelope import Event
from contracts.events.design import DesignSimulated, DesignValidated
from contracts.events.run import EnvironmentBuilt
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.simulation import SimulationResult
from documents.event_lines.event_line import result_text
from store.log import PlacedEvent

from gateway.http.cursors import event_cursor

TYPES = tuple(
    each.__name__
    for each in (SimulationRequested, SimulationCompleted, DesignValidated, DesignSimulated, EnvironmentBuilt)
)
"""Classes of events that make up the list."""


@dataclass(frozen=True)
class ReplayedSimulation:
    """A simulation with what its replay needs."""

    cursor: str
    """Of its result."""
    title: str
    scene: ArtifactRef
    trajectory: ArtifactRef | None
    """None: it shows the world without a machine."""
    result: SimulationResult | None
    is_design: bool = False
    """Whether it was submitted; else it is a preview."""
    is_first_shown: bool = False
    """The newest design, else the newest of all."""


def simulations_of(events: Sequence[PlacedEvent]) -> list[ReplayedSimulation]:
    """Return the simulations of a run in order, the world alone first."""
    found: list[ReplayedSimulation] = []
    scenes: dict[object, ArtifactRef] = {}
    previews = designs = 0
    for position, event in events:
        cursor = event_cursor(position)
        match event:
            case SimulationRequested(scene=scene) | DesignValidated(scene=scene):
                scenes[event.id] = scene
            case EnvironmentBuilt(scene=ArtifactRef() as scene):
                found.append(ReplayedSimulation(cursor, "world without a machine", scene, None, None))
            case SimulationCompleted(result=result):
                previews += 1
                found += _replayed(cursor, f"preview {previews}", event, scenes, result)
            case DesignSimulated(result=result):
                designs += 1
                design = _replayed(cursor, f"design {designs}", event, scenes, result)
                found += [replace(each, is_design=True) for each in design]
            case _:
                pass
    last = max(range(len(found)), key=lambda number: (found[number].is_design, number), default=None)
    return [replace(each, is_first_shown=number == last) for number, each in enumerate(found)]


def _replayed(
    cursor: str, name: str, event: Event, scenes: dict[object, ArtifactRef], result: SimulationResult
) -> list[ReplayedSimulation]:
    scene = scenes.get(event.causation_id)
    if scene is None or result.trajectory is None:
        return []
    return [ReplayedSimulation(cursor, f"{name}: {result_text(result)}", scene, result.trajectory, result)]
