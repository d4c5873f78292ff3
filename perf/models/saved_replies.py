"""Replies and tokens of the recorded runs, then and today: `./run perf models/replies --saved`."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.clusters.cluster import start_cluster
from tests.support.clusters.recorded_runs import ReplayedRun, replay
from tests.support.measurements import setting, table
from tests.support.replies.recorded_model import (
    DECIDED,
    REPLAYED,
    RUNS,
    RecordedRun,
    Request,
    recorded_requests,
    replies_of,
    saved_replies,
)
from tests.support.replies.saved_replies import problem_of_saving
from tests.support.replies.token_cost import TokenCost, cost_of, make_counter

LEAST_SAVED = 5
"""Of the 16 replies of the first run's engineer."""
LEAST_FALL = 1 / 3
_HEAD = ("run, role", "replies then", "now", "raw tokens then", "now", "change", "discounted then", "now", "change")


def measure_saved(*, judged: bool) -> int:
    """Print what is saved, and return the exit code."""
    rows = saved_replies()
    problems = {number: problem_of_saving(row) for number, row in rows.items() if row["rule"] in DECIDED}
    wrong = {number: problem for number, problem in problems.items() if problem}
    saved = frozenset(number for number, row in rows.items() if judged or row["rule"] in DECIDED) - set(wrong)
    tokenizer, count = make_counter()
    replayed = asyncio.run(_replay(saved))
    print(setting(("langchain-openai", "openai")), f"- tokens: {tokenizer}\n", sep="\n")
    print(table(("reply", "rule", "decided by", "why"), [_saved_row(row) for row in rows.values()]))
    print(*(f"\nstill necessary: reply {number}, {problem}" for number, problem in wrong.items()), sep="\n")
    then = {run: cost_of(_exchanges_then(run), count) for run in REPLAYED}
    now = {each.run: cost_of(each.exchanges, count) for each in replayed}
    print(f"\n{table(_HEAD, _cost_rows(then, now))}")
    print(*(f"\n{run.name} is not replayed: {run.obsolete}" for run in RUNS if run.obsolete), sep="\n")
    print(*(_failure(each) for each in replayed if not each.is_solved or each.unused), sep="\n")
    first = {reply.number for reply in replies_of(RUNS[0]) if reply.role == "engineer"}
    fall = 1 - _total(now.values()).raw / _total(then.values()).raw
    print(f"\nsaved of the first run's {len(first)} replies: {len(first & saved)}; tokens fall by {fall:.1%}")
    is_enough = len(first & saved) >= LEAST_SAVED and fall >= LEAST_FALL
    return 0 if is_enough and all(each.is_solved for each in replayed) else 1


async def _replay(saved: frozenset[int]) -> list[ReplayedRun]:
    with TemporaryDirectory() as folder:
        async with start_cluster(Path(folder)) as cluster:
            return await replay(cluster.endpoints, {run: replies_of(run, saved) for run in REPLAYED})


def _exchanges_then(run: RecordedRun) -> list[tuple[str, Request, str]]:
    recorded = [reply for reply in replies_of(run) if reply.number is not None]
    return [
        (role, request, reply.words) for (role, request), reply in zip(recorded_requests(run), recorded, strict=True)
    ]


def _saved_row(row: Mapping[str, str]) -> tuple[str, ...]:
    decided = "code" if row["rule"] in DECIDED else "judgement"
    return (str(row["n"]), row["rule"], decided, row["reason"])


def _cost_rows(
    then: Mapping[RecordedRun, Mapping[str, TokenCost]], now: Mapping[RecordedRun, Mapping[str, TokenCost]]
) -> list[tuple[str, ...]]:
    rows = [
        _cost_row(f"{run.name}, {role}", cost, now[run].get(role, TokenCost()))
        for run, costs in then.items()
        for role, cost in costs.items()
    ]
    sums = [_cost_row(f"{run.name}, all", _total([costs]), _total([now[run]])) for run, costs in then.items()]
    return [*rows, *sums, _cost_row("all", _total(then.values()), _total(now.values()))]


def _cost_row(name: str, then: TokenCost, now: TokenCost) -> tuple[str, ...]:
    figures = (f"{then.raw:,}", f"{now.raw:,}", _change(then.raw, now.raw))
    discounted = (f"{then.discounted:,}", f"{now.discounted:,}", _change(then.discounted, now.discounted))
    return (name, str(then.requests), str(now.requests), *figures, *discounted)


def _change(then: int, now: int) -> str:
    return f"{now / then - 1:+.0%}" if then else ""


def _total(costs: Iterable[Mapping[str, TokenCost]]) -> TokenCost:
    return sum((cost for each in costs for cost in each.values()), TokenCost())


def _failure(each: ReplayedRun) -> str:
    unused = ", ".join(str(reply.number) for reply in each.unused)
    return f"\n{each.run.name}: {each.end!r}"[:600] + f"; replies without a request: {unused or 'none'}"
