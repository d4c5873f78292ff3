"""Updates under load: 50 versions are adopted while 4 sessions run; each new one sees exactly one complete version."""

import asyncio
import random
from uuid import uuid4

from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import deciding
from contracts.events.skill import SkillsOffered, SkillsRequested
from documents.skill_folders.skill_folder import pack_files, unpack_files
from skill_learner.offers import SkillOffers
from store.database import Database
from store.skills.versions import NewSkill, Skills

from tests.agent.role_harness import engineering_requested

VERSIONS = 50
SESSIONS = 4


async def test_each_session_has_one_complete_version_and_keeps_it(database: Database) -> None:
    skills, artifacts, bus = Skills(database.engine), FakeArtifacts(), FakeBus()
    offers, name = SkillOffers(skills, {}, 200, bus), f"walls-{uuid4().hex[:12]}"
    done = asyncio.Event()
    seen: list[int] = []

    async def publish() -> None:
        for number in range(1, VERSIONS + 1):
            files = await artifacts.put(pack_files({"references/a.md": f"text {number}"}), "application/zip")
            ref = await artifacts.put(f"version {number}".encode(), "text/markdown")
            new = {"name": name, "for_role": "engineer", "description": f"Walls, version {number}.", "artifact": ref}
            fields = {"digest": ref.sha256, "learned_from": uuid4(), "status": "proposed", "files": files}
            stored = await skills.learn(NewSkill.model_validate(new | fields))
            await skills.set_status(name, stored.version, "adopted")
        done.set()

    async def work(rng: random.Random) -> None:
        """Open sessions one after the other; each is asked for its skills twice, as after a crash."""
        while not done.is_set() or len(seen) < SESSIONS:
            request = engineering_requested()
            first = await _asked(request_step=1, request=request)
            await asyncio.sleep(rng.random() * 0.01)
            assert await _asked(request_step=2, request=request) == first, "a session keeps its version"
            seen.append(first)

    async def _asked(request_step: int, request: object) -> int:
        asked = SkillsRequested(**deciding(request, "engineer", request_step))  # pyright: ignore[reportArgumentType]
        offered: SkillsOffered = await offers.answer(asked)
        (skill,) = [each for each in offered.skills if each.name == name] or [None]
        if skill is None:  # before the first version
            return 0
        text = (await artifacts.get(skill.skill_md)).decode()
        assert skill.files is not None
        files = unpack_files(await artifacts.get(skill.files))
        assert text == f"version {skill.version}"
        assert files == {"references/a.md": f"text {skill.version}"}, "no mixture of versions"
        assert skill.description == f"Walls, version {skill.version}."
        return skill.version

    await asyncio.gather(publish(), *(work(random.Random(number)) for number in range(SESSIONS)))
    assert len(set(seen)) > 1
    assert [each.version for each in await skills.newest("engineer") if each.name == name] == [VERSIONS]
