"""Replies of the recorded runs that are unnecessary today."""

from typing import Any

import pytest

from tests.support.replies.recorded_model import DECIDED, RUNS, recorded_requests, replies_of, saved_replies
from tests.support.replies.saved_replies import problem_of_saving
from tests.support.replies.token_cost import cost_of

DECIDED_ROWS = [row for row in saved_replies().values() if row["rule"] in DECIDED]


@pytest.mark.parametrize("row", DECIDED_ROWS, ids=lambda row: str(row["n"]))
def test_saved_reply_is_unnecessary_by_its_rule(row: dict[str, Any]) -> None:
    assert not problem_of_saving(row)


def test_seven_replies_of_the_first_run_are_saved_by_what_code_decides() -> None:
    first_run = {reply.number for reply in replies_of(RUNS[0]) if reply.role == "engineer"}
    assert len(first_run) == 16
    assert len({row["n"] for row in DECIDED_ROWS} & first_run) >= 5


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_requests_of_recorded_runs_only_grow(run: Any) -> None:
    costs = cost_of(((role, request, "") for role, request in recorded_requests(run)), len)
    assert sum(cost.requests for cost in costs.values()) == len([each for each in replies_of(run) if each.number])
    assert all(2 * cost.cached > cost.sent for cost in costs.values() if cost.requests > 5)
