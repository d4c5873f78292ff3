"""Versions of a skill are published while sessions run: each session has one complete version, and keeps it.

A skill-learner and a cad-worker with real kernels; the client is user, engineer and planner.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.loader import CODE_TYPE, load
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested
from contracts.events.session import FileViewed, FileViewRequested, SessionOpened, SessionRequested
from contracts.events.skill import SkillChanged, SkillChangeRequested, SkillsOffered, SkillsRequested
from contracts.models.benchmark import Assignment, Environment
from documents.skill_folders.skill_folder import pack_files

from tests.chaos.crashes.crash_runs import instrumented
from tests.support.clusters.cluster import Client, RestartingSupervisor, start_cluster
from tests.support.clusters.session_client import SessionClient

KEPT = 4
"""Sessions that run from the first version to the last."""
_PUBLISH_S, _SESSION_S = 120.0, 120.0
"""Time limits of a version and of a session's request, on a busy machine."""
_PAGES = ("SKILL.md", *(f"references/page-{number}.md" for number in range(3)))


@dataclass
class Seen:
    """What sessions have seen."""

    versions: list[int] = field(default_factory=list[int])
    """Of each session, in the order in which they were opened."""
    cells: int = 0
    notices: int = 0
    """Cells that named a newer version."""
    problems: list[str] = field(default_factory=list[str])
    """Mixtures, changes within a session, restarts."""


class SkilledSession(SessionClient):
    """A session with the skills that its role is offered."""

    async def open_in(self, environment: Environment, assignment: Assignment) -> SkillsOffered:
        """Ask for skills, and open a session with them."""
        role = {"run_id": self.run_id, "role": "engineer", "producer": "engineer"}
        offered = await self.client.bus.ask(SkillsRequested.model_validate({"id": uuid4()} | role))
        assert isinstance(offered, SkillsOffered), offered
        documents = {"plan_md": "# Plan\n", "todo_md": "# TODO\n\n- [ ] T1: build\n"}
        world = {"assignment": assignment, "environment": environment, "skills": offered.skills}
        opened = await self.client.bus.ask(SessionRequested.model_validate({"id": uuid4()} | role | documents | world))
        assert isinstance(opened, SessionOpened), opened
        first = await self.run("cells = 0")
        assert first.observation.status == "ok", first.observation.error
        return offered

    async def last_line(self, path: str) -> str:
        """Return the last line of a file."""
        view = {"run_id": self.run_id, "role": "engineer", "producer": "engineer", "path": path}
        viewed = await self.client.bus.ask(FileViewRequested.model_validate({"id": uuid4()} | view))
        return viewed.text.splitlines()[-1] if isinstance(viewed, FileViewed) else repr(viewed)


class Updates:
    """Publishes versions, and looks at them from sessions."""

    def __init__(self, client: Client, name: str, environment: Environment, assignment: Assignment) -> None:
        self._client, self._name = client, name
        self._environment, self._assignment = environment, assignment
        self._published = 0
        self.seen = Seen()

    async def run(self, versions: int) -> Seen:
        """Publish versions, while four sessions run, and another one is opened at every second version or sooner."""
        await self._publish()
        done = asyncio.Event()
        publishing = asyncio.create_task(self._publish_until(versions, done))
        await asyncio.gather(publishing, *(self._keep(done) for _ in range(KEPT)), self._open_others(done))
        return self.seen

    async def _publish_until(self, versions: int, done: asyncio.Event) -> None:
        try:
            while self._published < versions:
                await self._publish()
                while len(self.seen.versions) - KEPT < self._published // 2:  # noqa: ASYNC110 - other tasks open them
                    await asyncio.sleep(0.05)
        finally:
            done.set()

    async def _publish(self) -> None:
        """Import and adopt a version, whose text and pages name it."""
        number = self._published + 1
        head = f"---\nname: {self._name}\ndescription: Legs that reach the floor.\n---\n\n# Legs\n"
        pages = dict.fromkeys(_PAGES[1:], f"text {number}")
        folder = pack_files({"SKILL.md": f"{head}\nversion {number}\n", **pages})
        async with asyncio.timeout(_PUBLISH_S):
            ref = await self._client.artifacts.put(folder, "application/zip")
            await self._change("import", None, folder=ref)
            await self._change("adopt", number)
        self._published = number

    async def _change(self, action: str, version: int | None, **fields: Any) -> None:
        run_id = uuid4()
        producer = {"kind": "operations", "role": "skill-learner", "producer": "cli"}
        named = {"action": action, "name": self._name, "for_role": "engineer", "version": version}
        request = SkillChangeRequested.model_validate({"id": run_id, "run_id": run_id} | producer | named | fields)
        changed = await self._client.bus.ask(request)
        assert isinstance(changed, SkillChanged), changed

    async def _keep(self, done: asyncio.Event) -> None:
        """Look at the skill from one session, until all versions are published."""
        async with self._session() as (session, version):
            number = 0
            while not done.is_set():
                number += 1
                await self._look(session, version, number)

    async def _open_others(self, done: asyncio.Event) -> None:
        """Open one session after the other."""
        while not done.is_set():
            async with self._session() as (session, version):
                await self._look(session, version, 1)

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[tuple[SkilledSession, int]]:
        session, before = SkilledSession(self._client), self._published
        async with asyncio.timeout(_SESSION_S):
            offered = await session.open_in(self._environment, self._assignment)
        (version,) = [each.version for each in offered.skills if each.name == self._name]
        self.seen.versions.append(version)
        if version < before:
            self.seen.problems.append(f"version {version} was offered after version {before} had been adopted")
        try:
            yield session, version
        finally:
            await session.end()

    async def _look(self, session: SkilledSession, version: int, number: int) -> None:
        async with asyncio.timeout(_SESSION_S):
            lines = [await session.last_line(f"skills/{self._name}/{path}") for path in _PAGES]
            observation = (await session.run("cells += 1\nprint(cells)")).observation
        self.seen.cells += 1
        self.seen.notices += "was adopted; this session keeps" in observation.output
        where = f"cell {number} of a session with version {version}"
        if lines != [f"version {version}", *[f"text {version}"] * 3]:
            self.seen.problems.append(f"{where} has {lines}")
        if observation.output.splitlines()[:1] != [f"{number}"] or observation.recovery is not None:
            self.seen.problems.append(f"{where} was restarted: {observation.output or observation.error}")


@asynccontextmanager
async def update_cluster(folder: Path) -> AsyncGenerator[Updates]:
    """Start servers, a skill-learner and a cad-worker; nothing of them is left when the block ends."""
    loaded = load("gravity-chute", 1)
    async with start_cluster(folder / "servers", supervisor=RestartingSupervisor()) as cluster:
        environment = cluster.environment({"KERNEL_WORKSPACES": str(folder / "kernels")})
        services = [instrumented(each, environment, folder / f"{each}.log") for each in ("skill-learner", "cad-worker")]
        async with cluster.run(services), Client(cluster.endpoints) as client:
            await client.artifacts.put(loaded.environment_code, CODE_TYPE)
            assignment = Assignment(variant=loaded.variant, limits=loaded.limits)
            request = EnvironmentRequested(
                id=uuid4(), run_id=uuid4(), role="planner", producer="planner", assignment=assignment
            )
            built = await client.bus.ask(request)
            assert isinstance(built, EnvironmentBuilt), built
            yield Updates(client, f"legs-{uuid4().hex[:12]}", built.environment, assignment)
