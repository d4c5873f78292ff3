"""Records the runs of this folder: `python -m tests.web.pages.record NAME RUN`, from the data of a `millwright demo`
(`detour`), `ask-demo` (`question`) or `generate` (`generation`); `python -m tests.web.pages.record failed` makes one
whose designs fail. It keeps the artifacts that pages show: scenes, trajectories, posters and images.
"""

import asyncio
import io
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from benchmarks.loader import load
from cad_worker.handlers import build_environment, judge_design
from cad_worker.host import KernelHost
from cad_worker.job_protocol import DIGEST
from cad_worker.session_setup import session_order
from cli.log_access import open_history, read_run
from contracts.envelope import Event, answering
from contracts.events.benchmark import BenchmarkPublished, DraftBuilt
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.question import QuestionAsked
from contracts.events.run import (
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
from contracts.registry import parse
from local_stack.settings import read_settings
from PIL import Image
from sim_worker.handlers import film, verify
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer
from sim_worker.simulator import Simulator

from tests.cad_worker.handlers.run_client import no_entries
from tests.support.clusters.example_run import FILE
from tests.support.event_logs.recorded_run import RecordedLog, read_file

REPLICAS = 8
PNG = b"\x89PNG"
WALLS = ("chute-2-panel-left", "chute-2-back", "chute-2-wall-left")
"""Parts without which the ball is lost."""
GLUED = "# All parts that touch are glued"
"""Where the recorded script has all parts."""
MOST_PX, COLOURS = 320, 48
"""Of the images of a question, which are kept small."""
FAULTY_PARTS = """
box_part("brace", size_mm=(180.0, 12.0, 12.0), center_mm=(-130.0, 130.9, 190.0))
box_part("mast", size_mm=(12.0, 12.0, 160.0), center_mm=(-250.0, 200.0, 640.0))
box_part("sign", size_mm=(60.0, 4.0, 40.0), center_mm=(-10.0, -120.0, 300.0))
"""
"""A part that overlaps others, one that floats and leaves the build zone, and one that floats in a forbidden zone."""


def _shown(event: Event) -> Iterator[ArtifactRef | None]:
    match event:
        case EnvironmentBuilt() | DesignValidated() | SimulationRequested() | DesignInvalidated():
            yield event.scene
        case SimulationCompleted(result=result) | DesignSimulated(result=result):
            yield result.trajectory
        case DraftBuilt(worlds=worlds):
            yield from (ref for world in worlds for ref in (world.environment_scene, world.witness_scene))
        case BenchmarkPublished(files=files):
            yield files
        case _:
            yield from _pictures(event)


def _pictures(event: Event) -> Iterator[ArtifactRef]:
    match event:
        case RunSucceeded(delivery=delivery) if delivery.media is not None:
            yield delivery.media.poster
        case FilmCompleted(media=media):
            yield from (media.poster, media.video)
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
    small = {digest: reduced(blob) for digest, blob in kept.blobs.items() if blob.startswith(PNG)}
    names = {digest: reference(blob, "image/png").sha256 for digest, blob in small.items()}
    stored = FakeArtifacts()
    for digest, blob in kept.blobs.items():
        await stored.put(small.get(digest, blob), "application/octet-stream")
    RecordedLog([_renamed(event, names) for event in events], stored).write(target)


def reduced(png: bytes) -> bytes:
    """Return a smaller picture."""
    with Image.open(io.BytesIO(png)) as picture:
        picture.thumbnail((MOST_PX, MOST_PX))
        file = io.BytesIO()
        picture.convert("RGB").quantize(COLOURS).save(file, "PNG", optimize=True)
    return file.getvalue()


def _renamed(event: Event, names: Mapping[str, str]) -> Event:
    text = event.model_dump_json()
    for before, after in names.items():
        text = text.replace(before, after)
    return parse(event.full_subject, text.encode())


async def _record_failed(target: Path) -> None:
    """Have real workers judge two designs of the recorded run: one without a wall, one with faulty parts."""
    recorded = await read_file(FILE)
    events = recorded.events
    submitted = next(event for event in events if isinstance(event, DesignSubmitted))
    before = events[: events.index(submitted)]
    script = next(event.text for event in reversed(before) if isinstance(event, FileWritten) and event.text)
    with TemporaryDirectory() as folder:
        host = KernelHost(Path(folder))
        await host.start()
        judge = await _Judge.of(submitted, host)
        simulated = await judge.failed(_without(script, WALLS))
        refused = await judge.judged(script.replace(GLUED, f"{FAULTY_PARTS}{GLUED}"))
        await host.stop()
    end = RunFailed(**answering(events[0], "planner"), reason="steps_exhausted", detail="all 12 steps are used up")
    log, kept = [*before, *simulated, *refused, end], FakeArtifacts()
    for ref in filter(None, (ref for event in log for ref in _shown(event))):
        source = judge.store if ref.sha256 in judge.store.blobs else recorded.artifacts
        await kept.put(await source.get(ref), ref.media_type)
    RecordedLog(log, kept).write(target)


def _without(script: str, labels: Sequence[str]) -> str:
    return "\n".join(line for line in script.splitlines() if not any(f'"{label}"' in line for label in labels))


@dataclass(frozen=True)
class _Judge:
    """Workers that judge scripts in the world of a submission."""

    submitted: DesignSubmitted
    environment: Environment
    host: KernelHost
    store: FakeArtifacts

    @classmethod
    async def of(cls, submitted: DesignSubmitted, host: KernelHost) -> "_Judge":
        store, variant = FakeArtifacts(), submitted.assignment.variant
        await store.put(load(variant.benchmark, variant.seed).environment_code, "text/x-python")
        asked = EnvironmentRequested(
            id=uuid4(), run_id=submitted.run_id, role="planner", producer="planner", assignment=submitted.assignment
        )
        built = await build_environment(asked, host, store)
        assert isinstance(built, EnvironmentBuilt)
        return cls(submitted, built.environment, host, store)

    async def judged(self, script: str) -> list[Event]:
        """Return a submission of a script and the verdict of validation."""
        files = io.BytesIO()
        with zipfile.ZipFile(files, "w") as archive:
            archive.writestr("script.py", script)
            archive.writestr("todo.md", "# TODO\n\n- [x] T1: build\n")
            archive.writestr("journal.md", "# Journal\n")
        order = await session_order(self.submitted.assignment, self.environment, self.store)
        outcome = await self.host.run_script({"script.py": script}, order)
        assert outcome.design is not None, outcome.observation
        digest = (await self.host.run_job(DIGEST, outcome.design)).digest
        submission = Submission(digest=digest, files=await self.store.put(files.getvalue(), "application/zip"))
        changes = {"id": uuid4(), "environment": self.environment, "submission": submission, "executor": None}
        request = self.submitted.model_copy(update=changes)
        return [request, await judge_design(request, self.host, self.store, no_entries)]

    async def failed(self, script: str) -> list[Event]:
        """Return all about a design that the simulation finds to fail: it is filmed, and rejected."""
        request, valid = await self.judged(script)
        assert isinstance(valid, DesignValidated), valid
        simulator = Simulator(2)
        judged = await verify(valid.model_copy(update={"replicas": REPLICAS}), self.store, simulator)
        assert isinstance(judged, DesignSimulated)
        assert not judged.result.is_proven
        who = {"run_id": request.run_id, "role": "critic", "producer": "critic"}
        shown = {"scene": valid.scene, "trajectory_digest": judged.result.trajectory_digest}
        wanted = FilmRequested.model_validate({"id": uuid4(), **who, **shown})
        filmed = await film(wanted, self.store, simulator, MediaRenderer(VideoFormat()))
        review = f"The simulation does not prove the design.\n\n{judged.result.summary_md}"
        return [request, valid, judged, wanted, filmed, DesignRejected(**answering(judged, "critic"), review_md=review)]


if __name__ == "__main__":
    name, *ids = sys.argv[1:]
    file = FILE.with_name(f"{name}.jsonl.gz")
    asyncio.run(_record(file, UUID(ids[0])) if ids else _record_failed(file))
