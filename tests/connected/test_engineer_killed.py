"""The engineer dies when a cell has run and it has not thought of the next one."""

from pathlib import Path
from uuid import uuid4

import pytest
from contracts.conversation import ModelCalled
from contracts.session import CellCompleted, CellRequested

from perf.fakes.openai_server import FakeOpenAI
from perf.mortality.fates import Fate
from perf.mortality.house import house
from perf.mortality.killing import faults, play
from perf.mortality.scenarios import SCENARIOS, Commission


@pytest.mark.timeout(200)
async def test_k15_an_engineer_killed_between_a_cell_and_its_next_thought_goes_on_and_no_cell_runs_twice(
    tmp_path: Path,
) -> None:
    (scenario,) = [each for each in SCENARIOS if each.name == "faultless"]
    fate = Fate("engineer", CellCompleted, "taken-up")
    with FakeOpenAI({scenario.name: scenario.script}) as model:
        async with house(tmp_path, model.base_url) as home:
            played = await play(home, model, Commission(scenario, uuid4(), "k15", [fate]))
    assert faults(played) == [], played.story
    assert len(played.kills) == 1
    asked = [event.id for event in played.events if isinstance(event, CellRequested)]
    answered = [event.causation_id for event in played.events if isinstance(event, CellCompleted)]
    assert asked
    assert asked == answered
    assert played.calls == sum(isinstance(event, ModelCalled) for event in played.events)
