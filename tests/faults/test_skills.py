"""The skill-learner dies while it publishes, and versions change while sessions run: nothing twice, no mixture.

Both are samples; `./run chaos skills` has all points and 50 versions.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.chaos.crashes.crash_points import CrashPoint
from tests.chaos.skills.learner_kills import (
    ON_ITS_THREAD,
    POINTS,
    PUBLISHED,
    LearnerCluster,
    crash_points,
    differences,
    learner_cluster,
)
from tests.chaos.skills.session_updates import KEPT, update_cluster

VERSIONS = 4


@pytest_asyncio.fixture
async def learner(tmp_path: Path) -> AsyncIterator[LearnerCluster]:
    async with learner_cluster(tmp_path) as learner:
        yield learner


def test_every_event_has_a_crash_at_every_point() -> None:
    crashes = list(crash_points(POINTS))
    assert len(set(crashes)) == len(PUBLISHED) * (len(POINTS) - 1) + len(ON_ITS_THREAD)
    assert {crash.service for crash in crashes} == {"skill-learner"}


async def test_learner_that_dies_at_each_event_does_nothing_twice(learner: LearnerCluster) -> None:
    undisturbed = await learner.perform("undisturbed")
    crashes = [
        CrashPoint("skill-learner", event, POINTS[number % (len(POINTS) - (event not in ON_ITS_THREAD))])
        for number, event in enumerate(PUBLISHED)
    ]
    finished = await learner.perform("disturbed", crashes)
    assert differences(finished, undisturbed) == []
    assert len(finished.crashes) >= len(PUBLISHED) - 3, "two crashes at one message may be one"
    assert finished.versions == [(1, "adopted"), (2, "reverted"), (1, "proposed")]


async def test_session_has_one_complete_version_while_others_are_published(tmp_path: Path) -> None:
    async with update_cluster(tmp_path) as updates:
        seen = await updates.run(VERSIONS)
    assert seen.problems == []
    assert len(seen.versions) > KEPT
    assert seen.notices > 0
