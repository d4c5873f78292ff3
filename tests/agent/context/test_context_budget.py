"""Tests of the prompt budget on plain conversations."""

import pytest
from agent.context.budget import PromptBudgetError, fit_prompt
from agent.context.prompt_renderer import PromptRenderer, UnknownPromptRuleError
from agent.model.messages import user_message
from agent.model.role_model import RoleModel
from agent.settings import ModelSettings
from contracts.models.conversation import Condensed, Message
from pydantic import SecretStr

HEAD = (Message(author="system", text="Be brief."), user_message("Build a ramp."))


def _reply(text: str) -> Message:
    return Message(author="assistant", text=text)


def _long(steps: int) -> tuple[Message, ...]:
    return HEAD + tuple(
        message for step in range(steps) for message in (_reply(f"do {step}"), user_message(f"done {step}"))
    )


def test_prompt_within_budget_is_unchanged() -> None:
    prompt = fit_prompt(1000, _long(5), Condensed(), (), max_images=0)
    assert prompt.messages == _long(5)
    assert prompt.condensed == Condensed()


def test_oversized_message_is_cut_and_the_next_is_not() -> None:
    huge = (*HEAD, _reply("go"), user_message("a" * 9_000 + "z" * 9_000))
    prompt = fit_prompt(1000, huge, Condensed(), (), max_images=0)
    assert prompt.tokens <= 1000
    assert prompt.messages[:3] == huge[:3]
    newest = prompt.messages[-1].text
    assert newest.startswith("aaa")
    assert newest.endswith("zzz")
    assert "characters are left out here: the prompt budget has no room for them" in newest
    later = fit_prompt(1000, (*huge, _reply("on"), user_message("b" * 2_000)), prompt.condensed, (), max_images=0)
    assert later.tokens <= 1000
    assert later.messages[-1].text == "b" * 2_000


def test_oversized_task_raises_and_names_the_setting() -> None:
    with pytest.raises(PromptBudgetError, match="MODEL_PROMPT_BUDGET_TOKENS allows 100"):
        fit_prompt(100, (HEAD[0], user_message("x" * 900)), Condensed(), (), max_images=0)


def test_prompt_of_any_length_fits_the_budget() -> None:
    before = Condensed()
    for steps in range(0, 400, 40):
        prompt = fit_prompt(500, _long(steps), before, (), max_images=0)
        assert prompt.tokens <= 500
        assert len(prompt.messages) < 60
        before = prompt.condensed
    assert before.folded_steps > 200


def test_later_prompt_is_condensed_no_less() -> None:
    before = fit_prompt(500, _long(100), Condensed(), (), max_images=0).condensed
    after = fit_prompt(5_000, _long(101), before, (), max_images=0).condensed
    assert after == before


def test_unknown_rule_raises() -> None:
    with pytest.raises(UnknownPromptRuleError, match="rule 99"):
        PromptRenderer(HEAD).render(Condensed(rule=99))


def test_offline_model_has_no_prompt_budget() -> None:
    models = RoleModel.configured(ModelSettings(model_prompt_budget_tokens=7, openai_api_key=SecretStr("none")))
    assert models.prompt_budget_tokens("offline") is None
    assert models.prompt_budget_tokens("openai:any") == 7
