"""The Pareto front of candidates over tasks."""

import random

from cli.commands.skills.evolve import candidates_table, result_lines
from cli.evolution.front import SkillCandidate, Task, TaskScore, best_of, draw_parent, front_of
from cli.evolution.loop import EvolutionResult

from tests.cli.test_skill_tables import printed


def candidate(version: int | None, *failures: int, solved: bool = True) -> SkillCandidate:
    scores = tuple(TaskScore(is_solved=solved, failures=each, tokens=100) for each in failures)
    return SkillCandidate(version=version, parent=None, scores=scores)


def test_candidate_that_another_one_beats_on_a_task_and_equals_on_the_rest_leaves_the_front() -> None:
    one, two, three = candidate(None, 1, 1), candidate(1, 0, 1), candidate(2, 1, 0)
    assert front_of([one, two, three]) == [two, three]


def test_equal_candidates_both_stay() -> None:
    assert len(front_of([candidate(1, 0), candidate(2, 0)])) == 2


def test_solved_task_is_better_than_fewer_failures() -> None:
    assert best_of([candidate(1, 0, solved=False), candidate(2, 5)]).version == 2


def test_parent_is_drawn_by_the_tasks_on_which_none_is_better() -> None:
    often, seldom = candidate(1, 0, 0, 0, 9), candidate(2, 9, 9, 9, 0)
    drawn = [draw_parent([often, seldom], [often, seldom], random.Random(seed)).version for seed in range(200)]
    assert 120 < drawn.count(1) < 180


def test_table_has_a_row_with_the_score_of_each_task() -> None:
    candidates, tasks = (candidate(None, 1, 1), candidate(1, 0, 1)), [Task("detour", 0), Task("detour", 4)]
    rows = printed(candidates_table(candidates, tasks))
    assert "detour 4" in rows[0]
    assert rows[1].split()[:1] == ["none"]
    assert "solved, 0" in rows[2]


def test_end_without_a_price_says_so() -> None:
    result = EvolutionResult(candidates=(), trial=None, reason="budget", runs=3, tokens=7, cost_usd=None)
    assert result_lines(result) == ["end: budget", "cost: 3 runs, 7 tokens, price unknown"]
