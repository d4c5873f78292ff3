"""What models read in recorded runs, which was read by eye: after a change, `python -m tests.replay.observations`."""

import pytest

from tests.replay.observations import FOLDER, observations, problems, written
from tests.support.event_logs.recorded_run import names

LEAST = 20


@pytest.mark.parametrize("name", names())
async def test_observations_of_a_run_are_those_that_were_read(name: str) -> None:
    assert (FOLDER / f"{name}.md").read_text("utf-8") == written(await observations(name))


@pytest.mark.parametrize("name", names())
async def test_observation_repeats_nothing_and_cuts_no_table(name: str) -> None:
    found = {text: problems(text) for text in await observations(name)}
    assert not {text: each for text, each in found.items() if each}


async def test_recorded_runs_have_enough_observations() -> None:
    assert sum([len(await observations(name)) for name in names()]) >= LEAST


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```text\nprinted", "a fence is not closed"),
        ("- `chute` overlaps `leg`\n\n- `chute` overlaps `leg`", "twice: - `chute` overlaps `leg`"),
        ("| part | mass |\n| --- | --- |\n| chute |", "a table is cut: | chute |"),
        ("| part | mass |\n| --- | --- |", "a table is cut: | --- | --- |"),
    ],
)
def test_flawed_observation_is_found(text: str, problem: str) -> None:
    assert problems(text) == [problem]
