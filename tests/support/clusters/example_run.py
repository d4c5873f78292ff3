"""A run of the offline expert that was recorded, as a new run for each test."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4, uuid5

from artifacts.client import Artifacts
from contracts.envelope import Event
from contracts.registry import parse

from tests.support.event_logs.recorded_run import read_file

FILE = Path(__file__).parents[2] / "web" / "pages" / "recorded" / "detour.jsonl.gz"
"""`python -m tests.web.pages.record` writes it."""
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class ExampleRun:
    """Its events under new ids; their artifacts are stored."""

    run_id: UUID
    events: list[Event]

    @property
    def path(self) -> str:
        """Where its page is."""
        return f"/pages/runs/{self.run_id}"


async def new_example_run(artifacts: Artifacts, name: str = "detour") -> ExampleRun:
    """Store the artifacts of a recorded run (`detour`, `failed`, `question` or `generation`), and return it under new
    ids."""
    recorded = await read_file(FILE.with_name(f"{name}.jsonl.gz"))
    stored = [await artifacts.put(blob, "application/octet-stream") for blob in recorded.artifacts.blobs.values()]
    await artifacts.wait_until_uploaded(stored)  # as services do before they publish an event
    return renamed_run(recorded.events)


def renamed_run(events: Sequence[Event]) -> ExampleRun:
    """Return events of one run as those of a new one, under new ids."""
    run_id, old_run = uuid4(), events[0].run_id
    new_ids = {str(event.id): str(uuid5(run_id, str(event.id))) for event in events} | {str(old_run): str(run_id)}
    renamed: list[Event] = []
    for event in events:
        texts = (event.full_subject, event.model_dump_json())
        subject, body = (_ID.sub(lambda found: new_ids.get(found.group(), found.group()), text) for text in texts)
        renamed.append(parse(subject, body.encode()))
    return ExampleRun(run_id, renamed)
