"""Records the runs of this folder: `python -m tests.web.pages.record NAME RUN`, from the data of a `millwright demo`
(`detour`), `ask-demo` (`question`) or `generate` (`generation`); `python -m tests.web.pages.record failed` makes one
whose designs fail. It keeps the artifacts that pages show: scenes, trajectories, posters and images.
"""

import asyncio
import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from artifacts.testing import FakeArtifacts
from benchmarks.loader import load
from cad_worker.handlers import build_environment, judge_design
from cad_worker.host import KernelHost
from cad_worker.job_protocol import DIGEST
from cad_worker.sessions.setup import session_order
from cli.log_access import open_history, read_run
from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkPublished, DraftBuilt
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.question import QuestionAsked
from contracts.events.run import (
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)
from contracts.events.session import CellCompleted, FileWritten
from contracts.events.simulation import FilmCompleted, FilmRequested, SimulationCompleted, SimulationRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Environment
from contracts.models.submission import Submission
from local_stack.settings import read_settings
from sim_worker.handlers import film, verify
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer
from sim_worker.simulator import Simulator

from tests.cad_worker.handlers.run_client import no_entries
from tests.replay.recorded_run import RecordedLog, read_file
from tests.support.clusters.example_run import FILE

REPLICAS = 8
FAULTY_PARTS = """
box_part("brace", size_mm=(180.0, 12.0, 12.0), center_mm=(-130.0, 130.9, 190.0))
box_part("mast", size_mm=(12.0, 12.0, 160.0), center_mm=(-250.0, 200.0, 640.0))
box_part("sign", size_mm=(60.0, 4.0, 40.0), center_mm=(-10.0, -120.0, 300.0))
"""
"""A part that overlaps others, one that floats and leaves the build zone, and one that floats in a forbidden zone."""


def _shown(event: Event) -> Iterator[ArtifactRef | None]:
    match event:
        case EnvironmentBuilt(scene=scene) | DesignValidated(scene=scene) | SimulationRequested(scene=scene):
            yield scene
        case DesignInvalidated(scene=scene):
            yield scene
        case SimulationCompleted(result=result) | DesignSimulated(result=result):
            yield result.trajectory
        case RunSucceeded(delivery=delivery) if delivery.media is not None:
            yield delivery.media.poster
        case FilmCompleted(media=media):
            yield from (media.poster, media.video)
        case DraftBuilt(worlds=worlds):
            for world in worlds:
                yield from (world.environment_scene, world.witness_scene)
        case BenchmarkPublished(files=files):
            yield files
        case QuestionAsked(question=question):
            yield from (frame.picture for frame in question.frames)
        case CellCompleted(observation=observation):
            yield from (image.artifact for image in observation.images)
        case _:
            pass


async def _record(target: Path, run_id: UUID) -> None:
    kept = FakeArtifacts()
    async with open_history(read_settings()) as history:
        events = await read_run(run_id, history)
        for ref in filter(None, (ref for event in events for ref in _shown(event))):
            await kept.put(await history.artifacts.get(ref), ref.media_type)
    RecordedLog(events, kept).write(target)


async def _record_failed(target: Path) -> None:
    """Have real workers judge two designs of the recorded run: one without a wall, one with faulty parts."""
    events = (await read_file(FILE)).events
    submitted = next(event for event in events if isinstance(event, DesignSubmitted))
    request = events[0]
    assert isinstance(request, EngineeringRequested)
    before = events[: events.index(submitted)]
    script = next(event.text for event in reversed(before) if isinstance(event, FileWritten) and event.text)
    store, kept = FakeArtifacts(), FakeArtifacts()
    variant = submitted.assignment.variant
    await store.put(load(variant.benchmark, variant.seed).environment_code, "text/x-python")
    with TemporaryDirectory() as folder:
        host = KernelHost(Path(folder))
        await host.start()
        asked = EnvironmentRequested(
            id=uuid4(), run_id=request.run_id, role="planner", producer="planner", assignment=submitted.assignment
        )
        built = await build_environment(asked, host, store)
        assert isinstance(built, EnvironmentBuilt)
        simulated = await _failed_design(_without(script, "chute-2-wall-left"), submitted, built.environment, host, store)
        head, _, tail = script.partition("# All parts that touch are glued")
        refused = await _judged(f"{head}{FAULTY_PARTS}\n# All parts that touch are glued{tail}", submitted, built.environment, host, store)
        await host.stop()
    end = RunFailed.answering(request, "planner", reason="steps_exhausted", detail="all 12 steps are used up")
    log = [*before, *simulated, *refused, end]
    for ref in filter(None, (ref for event in log for ref in _shown(event))):
        recorded = (await read_file(FILE)).artifacts
        source = store if ref.sha256 in store.blobs else recorded
        await kept.put(await source.get(ref), ref.media_type)
    RecordedLog(log, kept).write(target)


def _without(script: str, label: str) -> str:
    return "\n".join(line for line in script.splitlines() if f'"{label}"' not in line)


async def _judged(
    script: str, submitted: DesignSubmitted, environment: Environment, host: KernelHost, store: FakeArtifacts
) -> list[Event]:
    """Return a submission of a script and the verdict of validation."""
    files = io.BytesIO()
    with zipfile.ZipFile(files, "w") as archive:
        archive.writestr("script.py", script)
    order = await session_order(submitted.assignment, environment, store)
    outcome = await host.run_script({"script.py": script.encode()}, order)
    assert outcome.design is not None, outcome.observation
    submission = Submission(
        digest=(await host.run_job(DIGEST, outcome.design)).digest,
        files=await store.put(files.getvalue(), "application/zip"),
    )
    changes = {"id": uuid4(), "environment": environment, "submission": submission, "executor": None}
    request = submitted.model_copy(update=changes)
    return [request, await judge_design(request, host, store, no_entries)]


async def _failed_design(
    script: str, submitted: DesignSubmitted, environment: Environment, host: KernelHost, store: FakeArtifacts
) -> list[Event]:
    """Return all about a design that the simulation finds to fail: it is filmed, and rejected."""
    request, valid = await _judged(script, submitted, environment, host, store)
    assert isinstance(valid, DesignValidated), valid
    valid = valid.model_copy(update={"replicas": REPLICAS})
    simulator = Simulator(2)
    judged = await verify(valid, store, simulator)
    assert isinstance(judged, DesignSimulated)
    wanted = FilmRequested(
        id=uuid4(),
        run_id=request.run_id,
        role="critic",
        producer="critic",
        scene=valid.scene,
        trajectory_digest=judged.result.trajectory_digest,
    )
    filmed = await film(wanted, store, simulator, MediaRenderer(VideoFormat()))
    review = f"The simulation does not prove the design.\n\n{judged.result.summary_md}"
    rejected = DesignRejected.answering(judged, "critic", review_md=review)
    return [request, valid, judged, wanted, filmed, rejected]


if __name__ == "__main__":
    name, *ids = sys.argv[1:]
    file = FILE.with_name(f"{name}.jsonl.gz")
    asyncio.run(_record(file, UUID(ids[0])) if ids else _record_failed(file))
