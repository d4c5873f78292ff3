"""Reads pictures and videos that clients send, in confined children."""

import asyncio

from questions.media.images import SampledMedia
from questions.media.media_job import READ_MEDIA, MediaRequest
from sandbox.host import SandboxHost, job_programs
from sandbox.jobs import JobFailedError
from sandbox.zygote.client import SandboxUnavailableError

from gateway.http.problems import ServersUnavailableError, UnusableUploadError


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
            detail = f"the {request.kind} could not be read with 120 s and 2 GB: scale them down"
            raise UnusableUploadError(detail) from error
        if reply.media is None:
            raise UnusableUploadError(reply.problem)
        return reply.media

    async def _started(self) -> SandboxHost:
        async with self._starting:
            if self._host is None:
                host = SandboxHost(job_programs([READ_MEDIA]))
                await host.start()
                self._host = host
            return self._host
