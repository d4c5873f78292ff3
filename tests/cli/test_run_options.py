"""Budgets of runs: from options to the request, and from usage to the result panel."""

import io
import os
from pathlib import Path

import pytest
from benchmarks.loader import load
from cli.evaluation.trials import trial_result
from cli.runs.result_panel import DeliveredFolder, delivered_panel, failed_panel
from contracts.envelope import answering
from contracts.event_format import format_event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.benchmark import Budget, Limits
from contracts.models.conversation import Usage
from local_stack.data_folder import StackState, acquire_lock, write_state
from local_stack.server_source import are_services_running
from local_stack.settings import CliSettings
from rich.console import Console
from rich.panel import Panel
from run_report.delivery import report_md
from run_requests.errors import RunRequestError
from run_requests.request import RunOptions, budget_of, engineering_request, require_model
from store.runs import summarize

from tests.agent.role_harness import engineering_requested
from tests.cli.conftest import RunCommand
from tests.contracts import example_values as values

SPENT = Usage(input_tokens=12_000, output_tokens=345, cost_usd=0.0625)


def render(panel: Panel) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(panel)
    assert isinstance(console.file, io.StringIO)
    return " ".join(console.file.getvalue().split())


def render_failure(request: EngineeringRequested, spent: Usage) -> str:
    end = RunFailed(**answering(request, "planner"), reason="tokens_exhausted", detail="12,345 of 10,000 tokens")
    return render(failed_panel(request, end, spent, 1.0))


def test_request_has_the_given_budget_and_defaults() -> None:
    budget = budget_of({"deadline_s": 60.0, "max_tokens": 5000})
    options = RunOptions("detour", 1, "offline", 100, Limits(), budget)
    assert engineering_request(options, load("detour", 1)).budget == Budget(deadline_s=60, max_tokens=5000)
    assert budget_of({}) == Budget()


def test_infinite_budget_is_refused() -> None:
    with pytest.raises(RunRequestError, match="max_cost_usd"):
        budget_of({"max_cost_usd": float("inf")})


@pytest.mark.parametrize(
    "option",
    [("--deadline", "0"), ("--deadline", "inf"), ("--max-tokens", "0"), ("--max-cost", "0"), ("--max-steps", "0")],
)
def test_budget_out_of_range_is_a_usage_error(option: tuple[str, str], run_command: RunCommand) -> None:
    result = run_command("solve", "detour", *option)
    assert result.code == 2
    assert option[0] in result.errors


def test_cost_limit_needs_a_model_with_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    require_model("openai:unheard-of", Budget())
    require_model("openai:gpt-4o", Budget(max_cost_usd=1))
    require_model("offline", Budget(max_cost_usd=1))
    with pytest.raises(RunRequestError, match="MODEL_PRICES"):
        require_model("openai:unheard-of", Budget(max_cost_usd=1))


def test_keys_elsewhere_leave_only_the_model_name_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for model in ("offline", "openai:unheard-of", "anthropic:any", "azure_openai:any"):
        require_model(model, Budget(max_cost_usd=1), keys_elsewhere=True)
    for model in ("hal:9000", "openai:", "llama", "groq:any"):  # the last one's package is not installed
        with pytest.raises(RunRequestError, match="`offline`"):
            require_model(model, Budget(), keys_elsewhere=True)


def test_command_that_joins_another_stack_needs_no_key_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = CliSettings(millwright_data=tmp_path)
    assert not are_services_running(settings)
    lock = acquire_lock(tmp_path)
    try:
        write_state(tmp_path, StackState(environment={}, long_running=True))
        assert are_services_running(settings)
        write_state(tmp_path, StackState(environment={}, long_running=False))
        assert not are_services_running(settings)
    finally:
        os.close(lock)


@pytest.mark.parametrize("prices", ["{", "[]", '{"openai:x": {"usd_per_million_input_tokens": -1}}'])
def test_unreadable_prices_are_named_in_one_line(prices: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_PRICES", prices)
    with pytest.raises(RunRequestError, match="model_prices") as refused:
        require_model("offline", Budget())
    assert "\n" not in str(refused.value)


def test_failure_panel_shows_usage_with_its_limits() -> None:
    request = engineering_requested(model="openai:x", budget=Budget(max_tokens=10_000, max_cost_usd=0.5))
    panel = render_failure(request, SPENT)
    assert "12,345 of at most 10,000" in panel
    assert "0.0625 USD of at most 0.5 USD" in panel


def test_success_panel_shows_usage_without_limits(tmp_path: Path) -> None:
    request = engineering_requested(model="openai:x")
    end = RunSucceeded(
        **answering(request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT
    )
    panel = render(delivered_panel(request, end, DeliveredFolder(tmp_path, ["script.py"]), SPENT, 1.0))
    assert "tokens 12,345" in panel
    assert "0.0625 USD (no limit)" in panel


@pytest.mark.parametrize("changes", [{"verdict": "failed", "stability": "failed"}, {"stability": "flaky"}])
def test_success_without_proof_is_not_shown_as_solved(changes: dict[str, str], tmp_path: Path) -> None:
    """As in a log from before planner and critic were bound by the verdict."""
    request = engineering_requested()
    result = values.RESULT.model_copy(update=changes)
    end = RunSucceeded(**answering(request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=result)
    panel = render(delivered_panel(request, end, DeliveredFolder(tmp_path, ["script.py"]), SPENT, 1.0))
    line, summary = format_event(end), summarize(request, end, 9)
    trial = trial_result(request, end, [], SPENT, 1.0)
    report = report_md(request, end)
    for text in (panel, line.text, report):
        assert "NOT PROVEN" in text
        assert "SOLVED" not in text.replace(values.RESULT.summary_md, "")
    assert line.severity == "failure"
    assert (trial.solved, trial.reason[:11]) == (False, "not proven:")
    assert (summary.outcome, summary.reason) == (
        "not_proven",
        f"physics found it {result.verdict} and {result.stability}",
    )


def test_panel_shows_unknown_cost_but_none_for_the_expert() -> None:
    assert "model cost unknown" in render_failure(engineering_requested(model="openai:x"), Usage(input_tokens=7))
    assert "model cost" not in render_failure(engineering_requested(model="offline"), Usage(cost_usd=0))
