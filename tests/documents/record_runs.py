"""Records the observations of whole runs: `python -m tests.documents.record_runs` (several minutes).

The recorded language model's replies and the rule-based expert act through the real client, services, servers, kernels
and physics; every executor, and the critic. Times and addresses are replaced, so that a recording is reproducible.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from contracts.envelope import Event
from contracts.events.session import CellCompleted
from contracts.models.observation import Observation

from tests.support.clusters.cluster import start_cluster
from tests.support.clusters.recorded_runs import replay
from tests.support.replies.recorded_model import RUNS, RecordedRun, replies_of

FILE = Path(__file__).parent / "recorded" / "runs.json"
REFUSED_FORMS = frozenset({4, 42, 61, 62, 63, 64, 65, 75})
"""Replies that repeat another whose form was refused then, and one that is refused today."""
EXPERT_RUNS = (
    RecordedRun("expert-1", "push-flat", 2, "code", ()),
    RecordedRun("expert-2", "gravity-chute", 1, "tool_call", ()),
    RecordedRun("expert-3", "lift-to-shelf", 4, "single_pass", ()),
)
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")
_CELL = re.compile(r"<cell [0-9a-f]{8}>")


def observations_of(name: str, events: Sequence[Event]) -> dict[str, Observation]:
    """Return the observations of a run by role and number."""
    counts: Counter[str] = Counter()
    found: dict[str, Observation] = {}
    for event in events:
        if isinstance(event, CellCompleted):
            counts[event.role] += 1
            found[f"{name}: {event.role}, cell {counts[event.role]}"] = event.observation
    return found


async def _record() -> dict[str, Observation]:
    replies = {run: replies_of(run, REFUSED_FORMS) for run in RUNS} | {run: [] for run in EXPERT_RUNS}
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster:
            replayed = await replay(cluster.endpoints, replies)
    recorded: dict[str, Observation] = {}
    for each in replayed:
        recorded |= observations_of(each.run.name, each.events)
    return recorded


def main() -> None:
    """Write the recordings."""
    plain = {
        name: each.model_copy(update={"elapsed_s": 0.5}).model_dump(mode="json", exclude_defaults=True)
        for name, each in asyncio.run(_record()).items()
    }
    text = json.dumps(plain, indent=1, ensure_ascii=False).replace(f"{Path(__file__).parents[2]}/", "")
    FILE.write_text(f"{_CELL.sub('<cell>', _ADDRESS.sub('0x0', text))}\n", "utf-8")


if __name__ == "__main__":
    main()
