"""Tests of the generated mistakes of build123d, which a model makes until a skill has the fixes."""

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from tests.support.replies.build123d_mistakes import KINDS, MEANS, Mistake, mistakes
from tests.support.replies.mistaken_engineer import MistakenEngineer

SECRETS = ("one", "two", "three")


@pytest.mark.sample(6)
@pytest.mark.parametrize("mistake", [each for secret in SECRETS for each in mistakes(secret, len(KINDS))], ids=str)
def test_mistake_fails_and_its_fix_works(mistake: Mistake) -> None:
    exec(mistake.code(mistake.right), {})
    with pytest.raises((ValueError, TypeError, AttributeError)):
        exec(mistake.code(mistake.wrong), {})


def test_mistakes_of_a_secret_are_of_different_kinds_and_follow_from_it() -> None:
    assert mistakes("one") == mistakes("one") != mistakes("two")
    assert len({each.kind for each in mistakes("one")}) == len(MEANS)


def _first_replies(engineer: MistakenEngineer, skill: str = "") -> list[AIMessage]:
    task = "- `parts` (learned, v1): of parts\n\nseed 4" if skill else "seed 4"
    messages: list[BaseMessage] = [SystemMessage("# Role: engineer"), HumanMessage(task)]
    replies: list[AIMessage] = []
    for number in range(12):
        replies.append(engineer.reply(messages, ""))
        seen = f"`skills/parts/SKILL.md`\n{skill}" if skill and not number else "seen"
        messages += [replies[-1], HumanMessage(seen)]
    return replies


def test_engineer_errs_in_each_kind_and_repairs_each_by_other_means() -> None:
    engineer = MistakenEngineer("one")
    text = "\n".join(f"{each.text} {each.tool_calls}" for each in _first_replies(engineer)[:10])
    assert all(each.wrong in text and each.right in text for each in engineer.mistakes)
    assert [text.count(f"'name': '{tool}'") for tool in ("write_file", "edit_file")] == [3, 1]


def test_engineer_with_the_skill_does_not_err() -> None:
    engineer = MistakenEngineer("one")
    skill = "\n".join(f"  7  {each.kind} = {each.right}" for each in engineer.mistakes)
    text = "\n".join(f"{each.text} {each.tool_calls}" for each in _first_replies(engineer, skill)[:6])
    assert all(each.right in text and each.wrong not in text for each in engineer.mistakes)


def test_engineer_that_makes_one_mistake_per_world_makes_each_of_them_in_turn() -> None:
    engineer = MistakenEngineer("one", makes_one=True)
    made: list[str] = []
    for seed in range(3):
        messages: list[BaseMessage] = [SystemMessage("# Role: engineer"), HumanMessage(f"seed {seed}")]
        first = engineer.reply(messages, "")
        text = f"{first.text} {first.tool_calls}"
        made += [each.kind for each in engineer.mistakes if each.wrong in text]
    assert made == [each.kind for each in engineer.mistakes]
