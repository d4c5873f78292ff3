"""Whether skills fire: the situations cover each skill, and what a model opens in them is counted."""

from collections.abc import Sequence

import pytest
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from cli.commands.skills.situations import opened_by
from documents.shipped_skills import ROLES_OF_SKILLS
from documents.skill_folders.situations import Firing, firings, situations
from langchain_core.messages import AIMessage, BaseMessage

from tests.support.clusters.fake_provider import expert_provider

MODEL = "opener"
LEAST = 2


def test_each_skill_has_situations_that_need_it_and_others_of_its_readers() -> None:
    found = firings(ROLES_OF_SKILLS, [(each, frozenset()) for each in situations()])
    assert [each.name for each in found if each.wanted < LEAST or each.unwanted < 1] == []
    assert all(each.role in ROLES_OF_SKILLS[name] for each in situations() for name in each.opens)
    assert {each.role for each in situations() if not each.opens} == {each.role for each in situations()}


def test_openings_count_where_they_are_wanted_and_where_not() -> None:
    wanting, other = (next(each for each in situations() if bool(each.opens) is wants) for wants in (True, False))
    (name,) = wanting.opens
    opened = [(wanting, frozenset({name})), (other, frozenset({name, "unknown"}))]
    assert firings({name: [wanting.role]}, opened) == [
        Firing(name=name, wanted=1, opened=1, unwanted=1, opened_in_vain=1)
    ]


@pytest.mark.parametrize("arguments", [{"name": "mechanisms"}, {"skill": "mechanisms"}])
async def test_model_sees_the_descriptions_and_opens_by_calls(
    arguments: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def reply(messages: Sequence[BaseMessage], _: str) -> AIMessage:
        seen.extend(message.text for message in messages)
        return AIMessage("", tool_calls=[{"name": "open_skill", "args": arguments, "id": "c-1"}])

    with expert_provider({MODEL: reply}) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "of-no-value")
        models = RoleModel.configured(ModelSettings())
        opened = await opened_by(models, f"openai:{MODEL}", situations()[0])
    assert opened == ({"mechanisms"} if "name" in arguments else set())
    assert "- `mechanisms`: " in seen[0]
    assert situations()[0].text in seen[1]
