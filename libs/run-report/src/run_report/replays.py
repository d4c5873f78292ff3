"""The simulations that a report replays: scene and trajectory, packed, with what the viewer shows of them."""

import asyncio
import gzip
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from artifacts.port import ArtifactError, ArtifactStore
from contracts.envelope import Event
from contracts.event_line import result_text
from contracts.events.benchmark import DraftBuilt
from contracts.events.design import DesignInvalidated, DesignSimulated
from contracts.events.run import EnvironmentBuilt
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from contracts.text import counted
from viewer.data import ShownFinding, ShownMoment, ShownPart, shown_data

from run_report.budget import FileRoom


@dataclass(frozen=True)
class Simulation:
    """What can be seen in 3D: a simulation of a run, or a design or a world that was not simulated."""

    event_id: UUID
    title: str
    scene: ArtifactRef
    trajectory: ArtifactRef | None = None
    """None: nothing moves."""
    result: SimulationResult | None = None
    bill: BillOfMaterials | None = None
    findings: tuple[Finding, ...] = ()
    """Of its validation."""
    number: int = 0
    """Counts those of one event."""

    @property
    def id(self) -> str:
        """Of its event, with its number unless it is the first."""
        return f"{self.event_id}.{self.number}" if self.number else str(self.event_id)


class PackedReplay(Model):
    """A simulation as the report's script reads it."""

    id: str
    title: str
    scene: str
    """Name of the packed JSON of the scene."""
    trajectory: str | None
    parts: tuple[ShownPart, ...]
    moments: tuple[ShownMoment, ...]
    findings: tuple[ShownFinding, ...]


@dataclass(frozen=True)
class PackedReplays:
    """All replays of a report, the judged design first."""

    replays: tuple[PackedReplay, ...]
    packed: dict[str, str]
    """By name: gzip, as base64."""


SHOWN = (SimulationRequested, SimulationCompleted, DesignSimulated, DesignInvalidated, DraftBuilt, EnvironmentBuilt)
"""Classes of events that `simulations_of` reads."""


def simulations_of(events: Sequence[Event]) -> list[Simulation]:
    """Return what of a run can be seen in 3D: designs, newest first, then previews, newest first, then worlds.

    Reruns of a review repeat the trajectory of the design, and are left out.
    """
    requests: dict[UUID | None, SimulationRequested] = {
        event.id: event for event in events if isinstance(event, SimulationRequested)
    }
    designs, previews, worlds = list[Simulation](), list[Simulation](), list[Simulation]()
    judged = tried = 0
    for event in events:
        match event:
            case DesignSimulated() | DesignInvalidated():
                judged += 1
                designs += _design(event, judged)
            case SimulationCompleted(causation_id=cause) if cause in requests and event.role == "engineer":
                tried += 1
                previews.append(_preview(event, requests[cause], tried))
            case DraftBuilt():
                worlds = list(_worlds_of(event))
            case EnvironmentBuilt(scene=ArtifactRef() as scene):
                worlds.append(Simulation(event.id, "the world, nothing built", scene))
            case _:
                pass
    return [*reversed(designs), *reversed(previews), *worlds]


def _design(event: DesignSimulated | DesignInvalidated, number: int) -> Iterator[Simulation]:
    if isinstance(event, DesignSimulated) and event.delivery.scene is not None:
        title = f"design {number}: {result_text(event.result)}"
        yield Simulation(event.id, title, event.delivery.scene, event.result.trajectory, event.result, event.bill)
    elif isinstance(event, DesignInvalidated) and event.scene is not None:
        title = f"design {number}: refused, {counted(len(event.findings), 'finding')}"
        yield Simulation(event.id, title, event.scene, bill=event.bill, findings=event.findings)


def _preview(event: SimulationCompleted, request: SimulationRequested, number: int) -> Simulation:
    title = f"preview {number}: {result_text(event.result)}"
    return Simulation(event.id, title, request.scene, event.result.trajectory, event.result)


def _worlds_of(built: DraftBuilt) -> Iterator[Simulation]:
    """Yield the worlds of a draft with its witness, and the first one without."""
    name, first = built.draft.name, built.worlds[0]
    for number, world in enumerate(built.worlds):
        title = f"{name}, seed {world.seed}, with its witness"
        yield Simulation(built.id, title, world.witness_scene, number=number)
    title = f"{name}, seed {first.seed}, nothing built"
    yield Simulation(built.id, title, first.environment_scene, number=len(built.worlds))


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
        data = shown_data(scene, simulation.result, simulation.bill, simulation.findings)
        return PackedReplay(
            id=simulation.id,
            title=simulation.title,
            scene=simulation.scene.sha256,
            trajectory=None if simulation.trajectory is None else simulation.trajectory.sha256,
            parts=data.parts,
            moments=data.moments,
            findings=data.findings,
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
