"""A run whose report has everything: one event of each class, and a machine that was really simulated."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from itertools import cycle
from typing import Any, TypeVar, cast

from artifacts.port import ArtifactStore
from artifacts.testing import FakeArtifacts
from contracts.envelope import Event
from contracts.events.design import DesignInvalidated, DesignSimulated
from contracts.events.run import EngineeringRequested, EnvironmentBuilt, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, FileWritten
from contracts.events.simulation import FilmCompleted, SimulationCompleted, SimulationRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.design import BillOfMaterials
from contracts.models.observation import ShownImage
from contracts.models.scene import Scene
from contracts.models.simulation import KeyFrame, SimulationResult
from contracts.registry import ENDINGS, EVENTS
from PIL import Image
from pydantic import ValidationError
from sim_worker.simulator import SimulationSettings, Simulator

from tests.contracts.example_values import BILL, MEDIA, WHEN
from tests.contracts.examples import full_examples
from tests.sim_worker.machines import sweeper
from tests.sim_worker.structure.beams import rod

SCRIPT = 'from parts import box\n\nfor name in ("p", "m"):\n    add(f"{name}ost")\narm = box("arm", 220)\n'
Key = str | int
EventT = TypeVar("EventT", bound=Event)
NOT_TEXT = {"id", "run_id", "causation_id", "type", "kind", "sha256", "path"}


@dataclass(frozen=True)
class StoredRun:
    """Events, and the artifacts that they name."""

    events: list[Event]
    artifacts: FakeArtifacts


def stored_run() -> StoredRun:
    """Return a run; call it outside of an event loop."""
    artifacts = FakeArtifacts()
    return StoredRun(asyncio.run(reported_run(artifacts)), artifacts)


async def reported_run(artifacts: ArtifactStore) -> list[Event]:
    """Store what a run leaves behind, and return its events."""
    scene = machine()
    simulated = Simulator(1).simulate(scene, SimulationSettings(replicas=1, seed=0))
    trajectory = await artifacts.put(simulated.trajectory.as_npz(), "application/x-npz")
    result = simulated.result.model_copy(update={"trajectory": trajectory, "stability": "stable"})
    scene_ref = await artifacts.put(scene.model_dump_json().encode(), "application/json")
    world = scene.model_copy(
        update={"bodies": scene.bodies[:1], "joints": (), "welds": (), "drives": (), "touching": ()}
    )
    world_ref = await artifacts.put(world.model_dump_json().encode(), "application/json")
    pictures = [await artifacts.put(png(color), "image/png") for color in ("orange", "blue")]
    examples = full_examples()
    return [
        _changed(examples[kind], result, scene_ref, world_ref, pictures).model_copy(
            update={"occurred_at": WHEN + timedelta(seconds=number)}
        )
        for number, kind in enumerate(sorted(EVENTS, key=lambda kind: kind in ENDINGS))
        if kind in examples and _is_shown(examples[kind])
    ]


def _is_shown(event: Event) -> bool:
    return event.kind == "engineering" and event.type not in {"RunFailed", "CancelRequested"}


def machine() -> Scene:
    """Return a machine with an arm that has a strength, so that contact forces on it are measured."""
    scene = sweeper()
    arm = rod("arm", (110, 0, 45), (220, 12, 24))
    return scene.model_copy(update={"bodies": (*scene.bodies[:-1], arm)})


def png(color: str = "orange") -> bytes:
    """Return a small picture."""
    file = BytesIO()
    Image.new("RGB", (64, 48), color).save(file, "PNG")
    return file.getvalue()


def _changed(
    event: Event,
    result: SimulationResult,
    scene: ArtifactRef,
    world: ArtifactRef,
    pictures: Sequence[ArtifactRef],
) -> Event:
    """Return an event that names what is stored."""
    frame = KeyFrame(time_s=1.0, caption="arm touches payload", picture=pictures[1])
    media = MEDIA.model_copy(update={"poster": pictures[0], "views": None, "key_frames": (frame,)})
    updates: dict[type[Event], dict[str, object]] = {
        EnvironmentBuilt: {"scene": world},
        DesignInvalidated: {"scene": scene},
        SimulationRequested: {"scene": scene},
        SimulationCompleted: {"result": result},
        FilmCompleted: {"media": media},
        FileWritten: {"path": "script.py", "text": SCRIPT},
    }
    if isinstance(event, DesignSimulated | RunSucceeded):
        delivery = event.delivery.model_copy(update={"scene": scene, "media": media})
        updates[type(event)] = {"delivery": delivery, "result": result, "bill": bill()}
    if isinstance(event, CellCompleted):
        image = ShownImage(label="from the side", artifact=pictures[0], width_px=64, height_px=48)
        updates[CellCompleted] = {"observation": event.observation.model_copy(update={"images": (image,)})}
    return event.model_copy(update=updates.get(type(event), {}))


def bill() -> BillOfMaterials:
    """Return prices of the machine's parts."""
    lines = tuple(BILL.lines[0].model_copy(update={"label": label}) for label in ("post", "arm"))
    return BILL.model_copy(update={"lines": lines})


def with_texts(events: Sequence[Event], texts: Sequence[str]) -> list[Event]:
    """Return the events with every free text replaced by one of these, in turn; ids, codes and labels stay valid."""
    supply = cycle(texts)
    return [_with_texts(event, supply) for event in events]


def _with_texts(event: Event, supply: "cycle[str]") -> Event:
    content = event.model_dump(mode="json")
    for path, name in list(_texts(content)):
        holder: Any = content
        for step in path:
            holder = holder[step]
        before, holder[name] = holder[name], next(supply)
        try:
            type(event).model_validate(content)
        except ValidationError:
            holder[name] = before
    return type(event).model_validate(content)


def _texts(content: object, path: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Key]]:
    """Yield path and key of each text that does not identify anything."""
    if path and path[-1] == "trajectory":
        return
    pairs: Iterable[tuple[Key, object]] = ()
    if isinstance(content, dict):
        pairs = cast("dict[str, object]", content).items()
    elif isinstance(content, list):
        pairs = enumerate(cast("list[object]", content))
    for name, value in pairs:
        if isinstance(value, str) and name not in NOT_TEXT:
            yield path, name
        elif name not in {"scene", "media"}:
            yield from _texts(value, (*path, name))


def repeated_with(events: Sequence[Event], texts: Sequence[str]) -> list[Event]:
    """Return the events, and for each text a cell, a file of this name and content, and a printed line of it."""
    cell, write, done = (
        _first(events, CellRequested),
        _first(events, FileWriteRequested),
        _first(events, CellCompleted),
    )
    added: list[Event] = []
    for text in texts:
        added.append(cell.model_copy(update={"code": text, "purpose": text}))
        added.append(write.model_copy(update={"path": text, "text": text}))
        added.append(done.model_copy(update={"observation": done.observation.model_copy(update={"output": text})}))
    return [*events, *added]


def _first(events: Sequence[Event], kind: type[EventT]) -> EventT:
    return next(event for event in events if isinstance(event, kind))


def titled(events: Sequence[Event], title: str) -> list[Event]:
    """Return the events with another title of the benchmark."""
    first = events[0]
    assert isinstance(first, EngineeringRequested)
    variant = first.assignment.variant.model_copy(update={"title": title})
    assignment = first.assignment.model_copy(update={"variant": variant})
    return [first.model_copy(update={"assignment": assignment}), *events[1:]]
