"""Recorded runs in the repository: their events, and the artifacts that roles read. See `tests.replay.record`."""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from artifacts.testing import FakeArtifacts
from contracts.envelope import Event
from contracts.registry import parse

FOLDER = Path(__file__).parents[2] / "replay/recorded"


@dataclass(frozen=True)
class RecordedLog:
    """A run as its log has it, with long texts restored."""

    events: Sequence[Event]
    artifacts: FakeArtifacts

    def write(self, target: Path) -> None:
        """Write it into the repository."""
        rows = [{"subject": each.full_subject, "event": each.model_dump_json()} for each in self.events]
        blobs = [{"base64": b64encode(blob).decode()} for blob in self.artifacts.blobs.values()]
        text = "".join(json.dumps(row) + "\n" for row in (*rows, *blobs))
        target.write_bytes(gzip.compress(text.encode(), mtime=0))


def file(name: str) -> Path:
    """Return the file of a recorded run."""
    return FOLDER / f"{name}.jsonl.gz"


def names() -> list[str]:
    """Return the names of all recorded runs."""
    return sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("*.jsonl.gz"))


async def read(name: str) -> RecordedLog:
    """Return a recorded run of this folder."""
    return await read_file(file(name))


def _lines(source: Path) -> list[bytes]:
    return gzip.decompress(source.read_bytes()).splitlines()


async def read_file(source: Path) -> RecordedLog:
    """Return a recorded run."""
    rows = [json.loads(line) for line in _lines(source)]
    artifacts = FakeArtifacts()
    for row in rows:
        if "base64" in row:
            await artifacts.put(b64decode(row["base64"]), "application/octet-stream")
    return RecordedLog([parse(row["subject"], row["event"].encode()) for row in rows if "event" in row], artifacts)
