"""From the spool to the bucket, in the background."""

import asyncio
import logging
from collections import OrderedDict

from contracts.models.artifact import ArtifactRef

from artifacts.bucket import Bucket
from artifacts.port import ArtifactMissingError, SpoolUnusableError
from artifacts.retry import Waiting
from artifacts.spool import Spool

UPLOADS_AT_ONCE = 4
REMEMBERED = 100_000
"""So many of the blobs that are known to lie in S3 are not asked for again."""
STOP_WITHIN_S = 1.0
"""A stop waits so long for uploads under way; what is left over waits in the spool for the next start."""

_log = logging.getLogger(__name__)


class Uploader:
    """Sends each blob once, several at a time, however long that takes."""

    def __init__(self, spool: Spool, bucket: Bucket) -> None:
        self._spool = spool
        self._bucket = bucket
        self._patience = Waiting()
        self._known: OrderedDict[str, None] = OrderedDict()
        self._sending: dict[str, asyncio.Task[bool]] = {}
        self._places = asyncio.Semaphore(UPLOADS_AT_ONCE)

    async def start(self) -> None:
        """Take up what a dead process left."""
        left = await asyncio.to_thread(self._spool.waiting)
        if left:
            _log.info("%s holds %d blobs that were not uploaded; they are now", self._spool.folder, len(left))
        for ref in left:
            self.send(ref)

    async def stop(self) -> None:
        """Finish what is under way, within limits; in an outage leave it to the next start."""
        tasks = list(self._sending.values())
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=0 if self._patience.problem() else STOP_WITHIN_S)
        for task in late:
            task.cancel()
        if late:
            _log.warning("%d blobs wait in %s for the next start", len(late), self._spool.folder)
            await asyncio.wait(late)

    def problem(self) -> str | None:
        """Return in words what holds uploads up, if anything does."""
        problem = self._patience.problem()
        return None if problem is None else f"{len(self._sending)} blobs wait in {self._spool.folder}: {problem}"

    def knows(self, ref: ArtifactRef) -> bool:
        """Tell whether a blob was seen in S3."""
        return ref.sha256 in self._known

    def learn(self, ref: ArtifactRef) -> None:
        """Remember that a blob was seen in S3."""
        self._known[ref.sha256] = None
        self._known.move_to_end(ref.sha256)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def forget(self, ref: ArtifactRef) -> None:
        """Be ready to send a blob again: what lies in S3 is gone or spoilt."""
        self._known.pop(ref.sha256, None)

    def send(self, ref: ArtifactRef) -> asyncio.Task[bool]:
        """Upload a blob of the spool; the task tells whether it lies in S3 now, or is in neither place."""
        task = self._sending.get(ref.sha256)
        if task is None:
            task = asyncio.create_task(self._send(ref), name=f"upload {ref.sha256}")
            self._sending[ref.sha256] = task
            task.add_done_callback(lambda _: self._sending.pop(ref.sha256))
        return task

    async def wait_until_uploaded(self, ref: ArtifactRef) -> None:
        """Wait until a blob lies in S3; raise `ArtifactMissingError` if it is in neither place."""
        task = self.send(ref)
        await asyncio.wait((task,))
        if task.cancelled():
            raise RuntimeError(f"the artifacts were stopped before {ref.sha256} was uploaded; do it again")
        if not task.result():
            raise ArtifactMissingError(ref, f"{self._bucket.location}, nor in {self._spool.folder}")

    async def _send(self, ref: ArtifactRef) -> bool:
        async with self._places:
            return await self._patience.wait_out(lambda: self._try(ref))

    async def _try(self, ref: ArtifactRef) -> bool:
        if not await self._bucket.contains(ref):
            data = await asyncio.to_thread(self._spool.read, ref)
            if data is None:
                # Another process that shares the spool may have sent it between our two looks.
                if not await self._bucket.contains(ref):
                    return False
            else:
                await self._bucket.put(ref, data)
        self.learn(ref)
        try:
            await asyncio.to_thread(self._spool.remove, ref)
        except SpoolUnusableError as error:
            _log.warning("what is uploaded stays in the spool: %s", error)
        return True
