"""A change that a user requests is made once, however often its request is handled: its learner may have died."""

from collections.abc import AsyncIterator
from typing import Any, Literal
from uuid import uuid4

import pytest
from contracts.envelope import opening
from contracts.events.skill import (
    SkillChanged,
    SkillChangeRefused,
    SkillChangeRequested,
    TrialOptions,
    TrialRequested,
)
from documents.skill_folders.skill_folder import pack_files
from skill_learner.user_changes import UserChanges
from store.database import Database
from store.settings import DatabaseSettings

from tests.skill_learner.trials.trial_world import LearnablePolicy, TrialWorld

TIMES = 3
GUARD = TrialOptions(benchmarks=("gravity-chute",), model="offline")


@pytest.fixture
async def world(database_url: str, request: pytest.FixtureRequest) -> AsyncIterator[TrialWorld]:
    database = Database(DatabaseSettings(database_url=database_url))
    await database.start()
    yield TrialWorld(database, LearnablePolicy(right_um=50, own_um=7), request.node.name)
    await database.stop()


async def asked_again(
    world: TrialWorld, action: Literal["adopt", "revert", "import"], version: int | None = None, **fields: Any
) -> SkillChanged | SkillChangeRefused:
    """Request a change whose outcome is lost twice, and return the last one."""
    run_id = uuid4()
    request = SkillChangeRequested(
        **opening(run_id, "operations", "skill-learner", "cli"),
        action=action,
        name=world.name,
        for_role="engineer",
        version=version,
        **fields,
    )
    changes = UserChanges(world.bus, world.artifacts, world.skills)
    return [await changes.answer(request) for _ in range(TIMES)][-1]


async def status_of(world: TrialWorld) -> list[str]:
    return [each.status for each in await world.skills.versions(world.name)]


async def test_revert_takes_one_version_back(world: TrialWorld) -> None:
    for number in range(3):
        await world.version(f"text {number}", "adopted")
    changed = await asked_again(world, "revert", 3)
    assert isinstance(changed, SkillChanged)
    assert (changed.version, changed.status) == (3, "reverted")
    assert await status_of(world) == ["adopted", "adopted", "reverted"]


async def test_guard_of_an_adoption_compares_with_the_version_before(world: TrialWorld) -> None:
    await world.version("current", "adopted")
    await world.version("forced in")
    changed = await asked_again(world, "adopt", 2, guard=GUARD)
    assert isinstance(changed, SkillChanged)
    trials = [event for event in world.bus.events if isinstance(event, TrialRequested)]
    assert {(each.id, each.version, each.base_version) for each in trials} == {(trials[0].id, 2, 1)}


async def test_folder_is_imported_as_one_version(world: TrialWorld) -> None:
    text = f"---\nname: {world.name}\ndescription: The play of shafts in bores.\n---\n\n# Shafts\n\nDraw them thin.\n"
    folder = await world.artifacts.put(pack_files({"SKILL.md": text}), "application/zip")
    changed = await asked_again(world, "import", folder=folder)
    assert isinstance(changed, SkillChanged), changed
    assert await status_of(world) == ["proposed"]


@pytest.mark.parametrize(
    ("action", "version", "reason"),
    [
        ("adopt", None, "name the version"),
        ("revert", None, "name the version"),
        ("adopt", 7, "there is no version 7"),
        ("revert", 1, "there is no adopted version 1"),
    ],
)
async def test_change_of_no_certain_version_is_refused(
    world: TrialWorld, action: Literal["adopt", "revert"], version: int | None, reason: str
) -> None:
    await world.version("proposed")
    refused = await asked_again(world, action, version)
    assert isinstance(refused, SkillChangeRefused)
    assert (refused.reason, refused.detail[: len(reason)]) == ("unknown", reason)
    assert await status_of(world) == ["proposed"]
