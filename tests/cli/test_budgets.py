"""What a run may use up is an option, and what it used is in the panel at its end."""

import io
import sys
from pathlib import Path

import pytest
from benchmarks.loader import load
from cli.main import main
from cli.runs.request import RunOptions, budget_of, engineering_request, require_model
from cli.runs.result_panel import Delivered, failed_panel, solved_panel
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.benchmark import Budget, Limits
from contracts.models.conversation import Usage
from local_stack.errors import UserError
from rich.console import Console
from rich.panel import Panel

from tests.agent.role_play import engineering_requested
from tests.contracts import example_values as values

SPENT = Usage(input_tokens=12_000, output_tokens=345, cost_usd=0.0625)


def _order(budget: Budget, model: str = "offline") -> RunOptions:
    return RunOptions("detour", 1, model, 100, Limits(), budget)


def _shown(panel: Panel) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(panel)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


def _failed(asked: EngineeringRequested, spent: Usage) -> str:
    end = RunFailed.answering(asked, "planner", reason="tokens_exhausted", detail="12,345 of 10,000 tokens")
    return _shown(failed_panel(asked, end, spent, 1.0))


def test_what_is_given_reaches_the_request_and_the_rest_has_defaults() -> None:
    budget = budget_of({"deadline_s": 60.0, "max_tokens": 5000})
    asked = engineering_request(_order(budget), load("detour", 1))
    assert asked.budget == Budget(deadline_s=60, max_tokens=5000)
    assert budget_of({}) == Budget()


def test_what_is_no_number_is_no_limit() -> None:
    with pytest.raises(UserError, match="max_cost_usd"):
        budget_of({"max_cost_usd": float("inf")})


@pytest.mark.parametrize(
    "option",
    [("--deadline", "0"), ("--deadline", "inf"), ("--max-tokens", "0"), ("--max-cost", "0"), ("--max-steps", "0")],
)
def test_limits_out_of_range_are_usage_errors(
    option: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["millwright", "solve", "detour", *option])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    assert option[0] in capsys.readouterr().err


def test_a_cost_cannot_be_limited_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    require_model("openai:unheard-of", Budget())
    require_model("openai:gpt-4o", Budget(max_cost_usd=1))
    require_model("offline", Budget(max_cost_usd=1))
    with pytest.raises(UserError, match="MODEL_PRICES"):
        require_model("openai:unheard-of", Budget(max_cost_usd=1))


def test_keys_and_prices_that_others_have_are_not_missed_but_a_model_that_nobody_knows_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for model in ("offline", "openai:unheard-of", "anthropic:any", "azure_openai:any"):
        require_model(model, Budget(max_cost_usd=1), keys_elsewhere=True)
    for model in ("hal:9000", "openai:", "llama", "groq:any"):  # the last one's package is not installed
        with pytest.raises(UserError, match="use `offline`"):
            require_model(model, Budget(), keys_elsewhere=True)


@pytest.mark.parametrize("prices", ["{", "[]", '{"openai:x": {"usd_per_million_input_tokens": -1}}'])
def test_prices_that_cannot_be_read_are_named_in_one_line(prices: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_PRICES", prices)
    with pytest.raises(UserError, match="model_prices") as refused:
        require_model("offline", Budget())
    assert "\n" not in str(refused.value)


def test_l4_the_panel_says_what_was_used_beside_what_might_be() -> None:
    asked = engineering_requested(model="openai:x", budget=Budget(max_tokens=10_000, max_cost_usd=0.5))
    told = _failed(asked, SPENT)
    assert "12,345 of at most 10,000" in told
    assert "0.0625 USD of at most 0.5 USD" in told


def test_the_panel_of_a_success_says_it_too(tmp_path: Path) -> None:
    asked = engineering_requested(model="openai:x")
    end = RunSucceeded.answering(asked, "planner", delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT)
    told = _shown(solved_panel(asked, end, Delivered(tmp_path, ["script.py"]), SPENT, 1.0))
    assert "tokens 12,345" in told
    assert "0.0625 USD (no limit)" in told


def test_an_unknown_cost_is_said_to_be_unknown_and_the_offline_expert_has_none() -> None:
    assert "model cost not known" in _failed(engineering_requested(model="openai:x"), Usage(input_tokens=7))
    assert "model cost" not in _failed(engineering_requested(model="offline"), Usage(cost_usd=0))
