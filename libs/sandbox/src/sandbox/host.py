"""The host of confined children: starts and revives the zygote, forks children in workspaces, runs jobs."""

import asyncio
import math
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sandbox.channels.channel import ChannelBrokenError, InvalidMessageError
from sandbox.confinement.uids import allocate_user
from sandbox.cpu_time import TimeBudget, TimeLimitError
from sandbox.jobs import JOB_ENTRY_POINT, Job, JobDone, JobFailedError, JobOrder
from sandbox.scratch_root import ScratchRoot, WorkspaceFolder
from sandbox.watchdog import Allowance, Watchdog
from sandbox.zygote.client import START_S, ConfinedChild, SandboxUnavailableError, Zygote
from sandbox.zygote.messages import Programs

JOB_S = 120.0
"""CPU time that a job may use; see `sandbox.cpu_time`."""
JOB_NICENESS, CHILD_NICENESS = 5, 10
"""All children yield to the host, and long-lived ones to jobs, whose replies are awaited."""
_ERROR_CHARS = 1500
_CRASHES = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")

Q = TypeVar("Q", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)


class SandboxHost:
    """Forks confined children, each in a workspace of its own, and keeps them within their allowance."""

    def __init__(
        self,
        programs: Programs,
        folder: Path | None = None,
        parallel_jobs: int | None = None,
        allowance: Allowance | None = None,
        start_s: float = START_S,
    ) -> None:
        """`folder` holds the workspaces, by default the folder for temporary files does; `parallel_jobs` is by default
        the number of processors; `start_s` limits the start of the zygote."""
        self._programs = programs
        self._folder = folder
        self._start_s = start_s
        self._root: ScratchRoot | None = None
        self._zygote = Zygote(programs, start_s=start_s)
        self._watchdog = Watchdog(allowance)
        self._reviving = asyncio.Lock()
        self._job_slots = asyncio.Semaphore(parallel_jobs or os.cpu_count() or 1)

    async def start(self) -> None:
        """Start the zygote; raise `SandboxUnavailableError` when this machine cannot confine a child."""
        self._root = await asyncio.to_thread(ScratchRoot, self._folder)
        await self._zygote.start()
        await self._watchdog.start()

    async def stop(self) -> None:
        """End the zygote with every child, and remove the workspaces."""
        await self._watchdog.stop()
        await self._zygote.stop()
        if self._root is not None:
            self._root.remove()  # not in a thread: Python starts none at its exit, where `millwright.judge` stops it
            self._root = None

    async def problem(self) -> str | None:
        """Return why no child can run any more, if so; for the health of the worker."""
        return self._watchdog.problem

    async def failure(self) -> str:
        """Wait until no child can run any more, and return why; the worker must end then."""
        return await self._watchdog.failure()

    def new_workspace(self) -> WorkspaceFolder:
        """Create a workspace, with a user of its own where that is possible."""
        assert self._root is not None, "start the host first"
        return self._root.new_workspace(allocate_user())

    async def fork(
        self, entry_point: str, workspace: WorkspaceFolder, cpu_s: int, niceness: int = CHILD_NICENESS
    ) -> ConfinedChild:
        """Return a child that runs one of the programs' entry points; the caller closes it."""
        if self._watchdog.problem is not None:
            raise SandboxUnavailableError(self._watchdog.problem)
        zygote = await self._live_zygote()
        child = await zygote.fork(entry_point, workspace.path, workspace.user, cpu_s=cpu_s, niceness=niceness)
        self._watchdog.watch(child, workspace.path)
        return child

    async def run_job(
        self, job: Job[Q, R], request: Q, count_s: Callable[[float], None] | None = None, cpu_s: float | None = None
    ) -> R:
        """Run a job in a fresh child; raise `JobFailedError`. `count_s` takes the seconds that it ran."""
        async with self._job_slots:
            began_s = time.monotonic()
            workspace = self.new_workspace()
            try:
                return await self._run_in_child(job, request, workspace, cpu_s or JOB_S)
            finally:
                if count_s is not None:
                    count_s(time.monotonic() - began_s)
                await asyncio.to_thread(workspace.remove)

    async def _live_zygote(self) -> Zygote:
        """Return the zygote, or a new one if it was killed; its children died with it."""
        async with self._reviving:
            if not self._zygote.is_alive:
                await self._zygote.stop()
                self._zygote = Zygote(self._programs, start_s=self._start_s)
                await self._zygote.start()
        return self._zygote

    async def _run_in_child(self, job: Job[Q, R], request: Q, workspace: WorkspaceFolder, cpu_s: float) -> R:
        child = await self.fork(JOB_ENTRY_POINT, workspace, cpu_s=2 * math.ceil(cpu_s), niceness=JOB_NICENESS)
        try:
            child.channel.restrict(job.limits)
            budget = TimeBudget(child.pid, cpu_s)
            await budget.during(
                child.channel.send(JobOrder(function=job.function, request_json=request.model_dump_json()))
            )
            done = await budget.during(child.channel.receive(JobDone))
            return job.reply.model_validate_json(done.reply_json)
        except TimeLimitError as error:
            raise JobFailedError(f"{job.function} was not done after {error}", f"it took more than {error}") from error
        except InvalidMessageError as error:
            raise JobFailedError(f"{job.function} did not answer: {_last_words(child) or error}") from error
        except ChannelBrokenError as error:
            code = await child.close()
            why = _last_words(child) or cause_of_death(code)
            raise JobFailedError(f"{job.function} did not answer: {why}", child.killed_for or "") from error
        except ValidationError as error:
            raise JobFailedError(f"{job.function} sent a malformed reply") from error
        finally:
            await child.close()


def _last_words(child: ConfinedChild) -> str:
    output, _ = child.printed.shown()
    return child.killed_for or output.strip()[-_ERROR_CHARS:]


def cause_of_death(exit_code: int) -> str:
    """Return how a child died; negative exit codes are signals."""
    if exit_code >= 0:
        return f"its process ended (exit code {exit_code})"
    names = {each.value: each.name for each in signal.Signals}  # most real-time signals have none
    name = names.get(-exit_code, f"signal {-exit_code}")
    return f"its process {'crashed with' if name in _CRASHES else 'was killed by'} {name}"


def job_programs(jobs: Iterable[Job[Any, Any]], *import_paths: Path) -> Programs:
    """Return the programs of a host that only runs jobs; `import_paths` are the folders of their modules."""
    modules = tuple(dict.fromkeys(job.module for job in jobs))
    return Programs(entry_points=(JOB_ENTRY_POINT,), preload=modules, import_paths=import_paths)
