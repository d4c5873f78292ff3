"""Records the runs of this folder: `python -m tests.replay.record [NAME...]`, after a deliberate change of a policy.

Services, servers, kernels and physics are real; the models are the offline expert, and the recorded replies of a
language model.
"""

import asyncio
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from artifacts.client import Artifacts
from artifacts.testing import FakeArtifacts
from cli.role_replays import REPLAYED, replay_service
from contracts.models.artifact import ArtifactRef

from tests.support.clusters.cluster import Client, start_cluster
from tests.support.clusters.recorded_runs import ReplayedRun, replay
from tests.support.event_logs.recorded_run import RecordedLog, file
from tests.support.replies.recorded_model import REPLAYED as OF_A_MODEL
from tests.support.replies.recorded_model import RecordedRun, replies_of

RUNS = {
    "offline-chute": RecordedRun("offline-chute", "gravity-chute", 2, "code", ()),
    "offline-pusher": RecordedRun("offline-pusher", "push-flat", 1, "tool_call", ()),
    "language-model-lift": next(run for run in OF_A_MODEL if run.benchmark == "lift-to-shelf"),
}


class _ReadArtifacts(FakeArtifacts):
    """Keeps what is read from a store."""

    def __init__(self, store: Artifacts) -> None:
        super().__init__()
        self._store = store

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return the bytes that `ref` names."""
        if ref.sha256 not in self.blobs:
            self.blobs[ref.sha256] = await self._store.get(ref)
        return self.blobs[ref.sha256]

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """See `ArtifactStore.wait_until_uploaded`."""
        await self._store.wait_until_uploaded(refs)


async def _record(names: Collection[str]) -> None:
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster:
            chosen = [RUNS[name] for name in names]
            finished = await replay(cluster.endpoints, {run: replies_of(run) if run.recorded else [] for run in chosen})
            async with Client(cluster.endpoints) as client:
                for name, each in zip(names, finished, strict=True):
                    await _write(name, each, client.artifacts)


async def _write(name: str, run: ReplayedRun, store: Artifacts) -> None:
    artifacts = _ReadArtifacts(store)
    for role in REPLAYED:
        replayed = await replay_service(role, run.events, artifacts)
        sys.stdout.write(f"{name}, {role}: {replayed.events} events, {replayed.steps} steps\n")
        if replayed.divergence is not None:
            sys.exit(f"it differs from itself: {replayed.divergence.what}\n{replayed.divergence.diff}")
    RecordedLog(run.events, artifacts).write(file(name))
    sys.stdout.write(f"{name}: {len(run.events)} events, solved: {run.is_solved}\n")


if __name__ == "__main__":
    asyncio.run(_record(sys.argv[1:] or list(RUNS)))
