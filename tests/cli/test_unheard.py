"""A run that nobody takes up is not waited for in silence."""

import asyncio

from cli.runs.claim_warning import minding


async def test_that_nobody_answers_is_said_once_with_where_to_look() -> None:
    said: list[str] = []
    async with minding(said.append, after_s=0.02):
        await asyncio.sleep(0.1)
    (told,) = said
    assert told.startswith("nobody has taken up the run for 0.02 s: do the services run")
    assert "docker compose -f deploy/compose.yaml ps" in told


async def test_nothing_is_said_once_somebody_has_answered_or_the_run_was_left() -> None:
    said: list[str] = []
    async with minding(said.append, after_s=0.02) as answered:
        answered.set()
        await asyncio.sleep(0.05)
    async with minding(said.append, after_s=0.02):
        pass
    await asyncio.sleep(0.05)
    assert said == []
