"""Reads pictures and videos that clients send, in confined children."""

import asyncio
from http import HTTPStatus

from questions.media.images import SampledMedia
from questions.media.media_job import READ_MEDIA, MediaRequest
from sandbox.host import JOB_S, SandboxHost, job_programs
from sandbox.jobs import JobFailedError
from sandbox.watchdog import Allowance
from sandbox.zygote.client import SandboxUnavailableError

from gateway.http.problems import ServersUnavailableError, UnusableUploadError

MEMORY_MIB = 1024
"""Of the child that reads."""
STATUSES = {
    "type": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "size": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "content": HTTPStatus.UNPROCESSABLE_ENTITY,
}


class MediaReader:
    """A resource of the app. Its sandbox starts with the first media, so that a gateway without any has none."""

    def __init__(self) -> None:
        self._host: SandboxHost | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Do nothing yet."""

    async def stop(self) -> None:
        """End the sandbox, if there is one."""
        if self._host is not None:
            await self._host.stop()
            self._host = None

    async def read(self, request: MediaRequest) -> SampledMedia:
        """Return the frames; raise `ProblemError`."""
        try:
            reply = await (await self._started()).run_job(READ_MEDIA, request)
        except SandboxUnavailableError as error:
            raise ServersUnavailableError(f"pictures and videos cannot be read here: {error}", 60) from error
        except JobFailedError as error:
            detail = f"the {request.kind} cannot be read in {JOB_S:g} s with {MEMORY_MIB} MiB: scale them down"
            raise UnusableUploadError(detail, STATUSES["size"]) from error
        if reply.media is None:
            raise UnusableUploadError(reply.problem, STATUSES[reply.kind])
        return reply.media

    async def _started(self) -> SandboxHost:
        async with self._starting:
            if self._host is None:
                host = SandboxHost(
                    job_programs([READ_MEDIA]), parallel_jobs=1, allowance=Allowance(memory_mib=MEMORY_MIB)
                )
                await host.start()
                self._host = host
            return self._host
