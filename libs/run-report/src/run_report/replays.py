"""The simulations that a report replays: scene and trajectory, packed, with what the viewer shows of them."""

import asyncio
import gzip
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from artifacts.port import ArtifactError, ArtifactStore
from contracts.envelope import Event
from contracts.events.benchmark import DraftBuilt
from contracts.events.design import DesignSimulated
from contracts.events.run import EnvironmentBuilt
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.design import BillOfMaterials
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from documents.event_lines.event_line import result_text
from viewer.data import ShownMoment, ShownPart, shown_data

from run_report.budget import FileRoom


@dataclass(frozen=True)
class Simulation:
    """A simulation of a run."""

    event_id: UUID
    title: str
    scene: ArtifactRef
    trajectory: ArtifactRef | None
    result: SimulationResult | None
    bill: BillOfMaterials | None


class PackedReplay(Model):
    """A simulation as the report's script reads it."""

    id: str
    title: str
    scene: str
    """Name of the packed JSON of the scene."""
    trajectory: str | None
    parts: tuple[ShownPart, ...]
    moments: tuple[ShownMoment, ...]


@dataclass(frozen=True)
class PackedReplays:
    """All replays of a report, the judged design first."""

    replays: tuple[PackedReplay, ...]
    packed: dict[str, str]
    """By name: gzip, as base64."""


def simulations_of(events: Sequence[Event]) -> list[Simulation]:
    """Return the simulations of a run: verdicts, newest first, then previews in order, at the end the world alone;
    of a generated benchmark the worlds of its last draft.

    Reruns of a review repeat the trajectory of the design, and are left out.
    """
    requests: dict[UUID | None, SimulationRequested] = {
        event.id: event for event in events if isinstance(event, SimulationRequested)
    }
    verdicts, previews, worlds = list[Simulation](), list[Simulation](), list[Simulation]()
    for event in events:
        if isinstance(event, DesignSimulated) and event.delivery.scene is not None:
            title = f"design {len(verdicts) + 1}: {result_text(event.result)}"
            scene, trajectory = event.delivery.scene, event.result.trajectory
            verdicts.append(Simulation(event.id, title, scene, trajectory, event.result, event.bill))
        elif isinstance(event, SimulationCompleted) and event.causation_id in requests and event.role == "engineer":
            title = f"preview {len(previews) + 1}: {result_text(event.result)}"
            scene, trajectory = requests[event.causation_id].scene, event.result.trajectory
            previews.append(Simulation(event.id, title, scene, trajectory, event.result, None))
        elif isinstance(event, DraftBuilt):
            worlds = list(_worlds_of(event))
        elif isinstance(event, EnvironmentBuilt) and event.scene is not None:
            worlds.append(Simulation(event.id, "the world, nothing built", event.scene, None, None, None))
    return [*reversed(verdicts), *previews, *worlds]


def _worlds_of(built: DraftBuilt) -> Iterator[Simulation]:
    """Yield the worlds of a draft with its witness, and the first one without."""
    name = built.draft.name
    for number, world in enumerate(built.worlds):
        event_id = built.id if number == 0 else uuid5(built.id, str(number))
        title = f"{name}, seed {world.seed}, with its witness"
        yield Simulation(event_id, title, world.witness_scene, None, None, None)
    for world in built.worlds[:1]:
        title = f"{name}, seed {world.seed}, nothing built"
        yield Simulation(uuid5(built.id, "world"), title, world.environment_scene, None, None, None)


class ReplayPacker:
    """Packs simulations until the budget is used up."""

    def __init__(self, artifacts: ArtifactStore, budget: FileRoom) -> None:
        self._artifacts, self._budget = artifacts, budget
        self._packed: dict[str, str] = {}

    async def pack(self, simulations: Sequence[Simulation]) -> PackedReplays:
        """Return what fits."""
        replays = [await self._replay(each) for each in simulations]
        return PackedReplays(tuple(each for each in replays if each is not None), self._packed)

    async def _replay(self, simulation: Simulation) -> PackedReplay | None:
        refs = [ref for ref in (simulation.scene, simulation.trajectory) if ref is not None]
        try:
            blobs = {ref.sha256: await self._artifacts.get(ref) for ref in refs}
        except ArtifactError:
            self._budget.left_out["missing simulation"] = self._budget.left_out.get("missing simulation", 0) + 1
            return None
        scene = await asyncio.to_thread(Scene.model_validate_json, blobs[simulation.scene.sha256])
        blobs[simulation.scene.sha256] = shown_scene(scene)
        packed = {name: _packed(blob) for name, blob in blobs.items() if name not in self._packed}
        if not self._budget.takes("simulation", sum(map(len, packed.values()))):
            return None
        self._packed |= packed
        data = shown_data(scene, simulation.result, simulation.bill)
        return PackedReplay(
            id=str(simulation.event_id),
            title=simulation.title,
            scene=simulation.scene.sha256,
            trajectory=None if simulation.trajectory is None else simulation.trajectory.sha256,
            parts=data.parts,
            moments=data.moments,
        )


def shown_scene(scene: Scene) -> bytes:
    """Return the JSON of what the viewer reads of a scene: no strength, and no collision shapes below a surface."""
    bodies = tuple(
        body.model_copy(update={"strength": None, "geoms": () if body.surface is not None else body.geoms})
        for body in scene.bodies
    )
    return scene.model_copy(update={"bodies": bodies}).model_dump_json(exclude_none=True).encode()


def _packed(blob: bytes) -> str:
    return b64encode(gzip.compress(blob, mtime=0)).decode()
