"""A session starts, and is taken over, with the offered skills and the files of an earlier attempt."""

import io
import zipfile
from collections.abc import Mapping
from uuid import uuid4

import pytest
from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.events.run import EnvironmentBuilt
from contracts.events.session import FileRefused, FileWritten, SessionFailed, SessionOpened, SessionRequested
from contracts.events.skill import SkillUpdated
from contracts.models.artifact import ArtifactRef
from contracts.skills import OfferedSkill
from documents.skill_folders.skill_folder import pack_files
from kernel_host.session_manager.manager import SessionManager
from kernel_host.sessions.initial_files import MAX_SKILL_BYTES

from tests.cad_worker.handlers.logged_client import LoggedClient, take_over
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")

LEGS = "---\nname: legs\ndescription: Legs reach the floor.\n---\n"
EARLIER = {
    "script.py": "assembly = 41\n",
    "shapes.py": "LEG = 2\n",
    "journal.md": "# Journal\n\n## 1\n",
    "todo.md": "old",
}


async def zipped(files: Mapping[str, str], artifacts: FakeArtifacts) -> ArtifactRef:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return await artifacts.put(buffer.getvalue(), "application/zip")


async def legs(artifacts: FakeArtifacts, name: str = "legs") -> OfferedSkill:
    ref = await artifacts.put(LEGS.encode(), "text/markdown")
    return OfferedSkill(name=name, description="Legs reach the floor.", version=1, skill_md=ref)


async def session_request(
    client: RunClient, built: EnvironmentBuilt, skills: list[OfferedSkill], files: object
) -> SessionRequested:
    plain = await client.session_request(built.environment)
    return SessionRequested.model_validate({**dict(plain), "skills": skills, "files": files})


async def test_session_starts_with_read_only_skills_and_earlier_files(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager, artifacts: FakeArtifacts
) -> None:
    request = await session_request(client, built, [await legs(artifacts)], await zipped(EARLIER, artifacts))
    opened = await manager.open(request)
    assert isinstance(opened, SessionOpened)
    assert {"skills/legs/SKILL.md", "skills/build123d/SKILL.md", "shapes.py"} <= set(opened.files)
    seen = (await client.run_cell("from script import assembly\nprint(assembly)")).observation
    assert seen.output == "41\n"
    assert isinstance(await client.write_file("skills/legs/SKILL.md", "mine"), FileRefused)
    assert isinstance(await client.write_file("shapes.py", "LEG = 3\n"), FileWritten)
    (session,) = manager.sessions
    assert session.workspace.read("skills/legs/SKILL.md") == LEGS
    assert session.workspace.read("todo.md") == request.todo_md
    skills = session.workspace.folder / "skills"
    assert {each.stat().st_mode & 0o222 for each in (skills, *skills.rglob("*"))} == {0}
    assert not [path for path in session.workspace.snapshot().files if path.startswith("skills")]


async def test_session_keeps_its_skill_and_names_a_newer_version_once(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager, artifacts: FakeArtifacts, bus: FakeBus
) -> None:
    skill = await legs(artifacts)
    files = await artifacts.put(pack_files({"references/feet.md": "Feet are flat."}), "application/zip")
    request = await session_request(client, built, [skill.model_copy(update={"files": files})], None)
    opened = await manager.open(request)
    assert isinstance(opened, SessionOpened)
    assert "skills/legs/references/feet.md" in opened.files
    newer = skill.model_copy(update={"version": 2, "skill_md": await artifacts.put(b"# New", "text/markdown")})
    update = SkillUpdated(
        id=uuid4(),
        run_id=request.run_id,
        role="skill-learner",
        producer="skill-learner",
        causation_id=request.id,
        for_role="engineer",
        skills=(newer,),
    )
    await bus.publish(update)
    outputs = [(await client.run_cell("print(1)")).observation.output for _ in range(2)]
    assert outputs == ["1\n(skill legs: version 2 was adopted; this session keeps version 1)\n", "1\n"]
    (session,) = manager.sessions
    assert session.workspace.read("skills/legs/SKILL.md") == LEGS


async def test_takeover_starts_with_the_same_files(
    client: RunClient,
    built: EnvironmentBuilt,
    manager: SessionManager,
    *,
    artifacts: FakeArtifacts,
    bus: FakeBus,
    logged: LoggedClient,
    next_manager: SessionManager,
    leases: WorkerLeases,
) -> None:
    request = await session_request(client, built, [await legs(artifacts)], await zipped(EARLIER, artifacts))
    await bus.publish(request)
    await bus.publish(await manager.open(request))
    await logged.write_file("script.py", "from shapes import LEG\nassembly = LEG\n")
    await logged.run_cell("from script import assembly")
    await take_over(next_manager, request, leases)
    (session,) = next_manager.sessions
    assert session.workspace.read("shapes.py") == EARLIER["shapes.py"]
    assert session.workspace.read("skills/legs/SKILL.md") == LEGS
    assert (await logged.run_cell("print(assembly)")).output == "2\n"


NO_FOLDERS = ("", "..", "../x", "a/b", "Legs", "legs ", "-legs", "legs\n", "a" * 65, "build123d", "\u202egel")


async def test_skill_name_that_is_not_a_folder_fails_the_session(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager, artifacts: FakeArtifacts
) -> None:
    for name in NO_FOLDERS:
        failed = await manager.open(await session_request(client, built, [await legs(artifacts, name)], None))
        assert isinstance(failed, SessionFailed), name
        assert failed.reason == "workspace_failed"
        assert repr(name[:64]) in failed.detail
    assert manager.sessions == ()


async def test_too_large_files_are_not_fetched(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager
) -> None:
    nowhere = reference(b"", "text/markdown").model_copy(update={"size_bytes": MAX_SKILL_BYTES + 1})
    large = OfferedSkill(name="large", description="x", version=1, skill_md=nowhere)
    failed = await manager.open(await session_request(client, built, [large], None))
    assert isinstance(failed, SessionFailed)
    files = nowhere.model_copy(update={"size_bytes": 1 << 40})
    failed = await manager.open(await session_request(client, built, [], files))
    assert isinstance(failed, SessionFailed)
    assert "too large to fetch" in failed.detail


async def test_unfit_zip_fails_the_session_but_not_the_next(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager, artifacts: FakeArtifacts
) -> None:
    failed = await manager.open(await session_request(client, built, [], await zipped({"utils/x.py": "1"}, artifacts)))
    assert isinstance(failed, SessionFailed)
    assert "'utils/x.py' is read-only" in failed.detail
    assert isinstance(await manager.open(await client.session_request(built.environment)), SessionOpened)
