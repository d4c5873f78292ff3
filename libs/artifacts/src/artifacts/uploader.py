"""Background uploads from the spool to the bucket."""

import asyncio
import logging
from collections import OrderedDict

from contracts.models.artifact import ArtifactRef

from artifacts.bucket import Bucket, S3OutageError
from artifacts.port import ArtifactMissingError, SpoolUnusableError
from artifacts.retry import OutageRetry
from artifacts.spool import Spool

MAX_CONCURRENT_UPLOADS = 4
MAX_KNOWN = 100_000
"""Number of blobs known to be in S3 that are not looked up again."""
STOP_TIMEOUT_S = 1.0
"""How long a stop waits for current uploads; the others remain in the spool for the next start."""

_log = logging.getLogger(__name__)


class Uploader:
    """Uploads each blob once, several in parallel, and waits out outages."""

    def __init__(self, spool: Spool, bucket: Bucket) -> None:
        self._spool = spool
        self._bucket = bucket
        self._retry = OutageRetry()
        self._known: OrderedDict[str, None] = OrderedDict()
        self._uploads: dict[str, asyncio.Task[bool]] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_UPLOADS)

    async def start(self) -> None:
        """Upload the blobs that an earlier process left in the spool."""
        waiting = await asyncio.to_thread(self._spool.waiting)
        if waiting:
            _log.info("uploading %d blobs that an earlier process left in %s", len(waiting), self._spool.folder)
        for ref in waiting:
            self.upload(ref)

    async def stop(self) -> None:
        """Finish current uploads, within a time limit; in an outage leave them to the next start."""
        tasks = list(self._uploads.values())
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=0 if self._retry.problem() else STOP_TIMEOUT_S)
        for task in late:
            task.cancel()
        if late:
            _log.warning("%d blobs wait in %s for the next start", len(late), self._spool.folder)
            await asyncio.wait(late)

    def problem(self) -> str | None:
        """Return a description of the outage that delays uploads, or None."""
        problem = self._retry.problem()
        return None if problem is None else f"{len(self._uploads)} blobs wait in {self._spool.folder}: {problem}"

    def is_uploaded(self, ref: ArtifactRef) -> bool:
        """Return whether a blob is known to be in S3."""
        return ref.sha256 in self._known

    def forget(self, ref: ArtifactRef) -> None:
        """Allow another upload of a blob that is missing or corrupt in S3."""
        self._known.pop(ref.sha256, None)

    def upload(self, ref: ArtifactRef) -> asyncio.Task[bool]:
        """Start the upload of a blob; the task returns False if the blob is neither in the spool nor in S3."""
        task = self._uploads.get(ref.sha256)
        if task is None:
            task = asyncio.create_task(self._upload(ref), name=f"upload {ref.sha256}")
            self._uploads[ref.sha256] = task
            task.add_done_callback(lambda _: self._uploads.pop(ref.sha256))
        return task

    async def wait_until_uploaded(self, ref: ArtifactRef) -> None:
        """Wait until a blob is in S3; raise `ArtifactMissingError` if it is neither there nor in the spool."""
        task = self.upload(ref)
        await asyncio.wait((task,))
        if task.cancelled():
            raise RuntimeError(f"the artifacts were stopped before {ref.sha256} was uploaded; store it again")
        if not task.result():
            raise ArtifactMissingError(ref, f"{self._bucket.location}, nor in {self._spool.folder}")

    async def _upload(self, ref: ArtifactRef) -> bool:
        async with self._slots:
            return await self._retry.call(lambda: self._try_upload(ref))

    async def _try_upload(self, ref: ArtifactRef) -> bool:
        data = await asyncio.to_thread(self._spool.read, ref)
        if data is None:
            if not await self._bucket.contains(ref):
                return False
        elif not await self._is_intact(ref, data):
            await self._bucket.put(ref, data)
        self._mark_known(ref)
        try:
            await asyncio.to_thread(self._spool.remove, ref)
        except SpoolUnusableError as error:
            _log.warning("an uploaded blob remains in the spool: %s", error)
        return True

    async def _is_intact(self, ref: ArtifactRef, data: bytes) -> bool:
        """Return whether the bucket has the blob. It is read, because a damaged one has the right size, too."""
        if not await self._bucket.contains(ref):
            return False
        try:
            return await self._bucket.get(ref) == data
        except S3OutageError:  # of this blob alone, or storing it fails next
            return False

    def _mark_known(self, ref: ArtifactRef) -> None:
        self._known[ref.sha256] = None
        self._known.move_to_end(ref.sha256)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)
