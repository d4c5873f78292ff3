"""The rule-based author: its worlds parse, differ, move in time, and follow from their seed alone."""

import ast
from hashlib import sha256
from itertools import product

import pytest
from artifacts.port import reference
from benchmark_generator.replies import read_files, read_plan
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import CODE_TYPE, FILE, read_file
from benchmarks.variant import extreme_variants, make_variant
from contracts.events.benchmark import BenchmarkFiles
from contracts.models.conversation import Message
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from offline_expert.author.environment_text import environment_text
from offline_expert.author.families import FAMILIES, draw, family_of
from offline_expert.author.policy import NoBriefError
from offline_expert.author.witness_text import WITNESS
from offline_expert.model import reply

LEVELS = (1, 2, 3)
seeds = st.integers(0, 10**6)


def file_of(seed: int, attempt: int, level: int) -> BenchmarkFile:
    """Return the drawn benchmark.yaml; the loader refuses one with a fault."""
    return read_file(draw(seed, attempt, level).yaml(f"world-{seed}").encode(), FILE)


@given(seeds, st.integers(0, 3), st.sampled_from(LEVELS))
def test_drawn_world_is_valid_under_every_seed_that_is_certified(seed: int, attempt: int, level: int):
    file, code = file_of(seed, attempt, level), reference(b"", CODE_TYPE)
    assert file.level == level
    variants = [make_variant(file, number, code) for number in range(12)]
    assert [variant.redraws for variant in variants] == [0] * 12
    assert set(extreme_variants(file, code)) == {"smallest", "largest"}


@given(seeds, st.sampled_from(LEVELS))
def test_features_lie_between_the_legs_and_below_the_goal(seed: int, level: int):
    world = draw(seed, 0, level)
    start, goal = world.start[0], world.goal_centre[0]
    for hindrance in world.obstacles:
        assert hindrance.high[2] < world.goal_low[2]
        carries_a_leg = any(hindrance.low[0] < leg < hindrance.high[0] for leg in (start, goal))
        assert carries_a_leg or (start + 11 < hindrance.low[0] and hindrance.high[0] < goal - 11)
    for zone in world.closed:
        assert zone.high[2] < world.goal_low[2]
        assert start + 11 < zone.low[0] < zone.high[0] < goal - 11


@given(seeds, st.sampled_from(LEVELS))
def test_environment_is_python_with_a_maker_for_each_hindrance(seed: int, level: int):
    world = draw(seed, 0, level)
    tree = ast.parse(environment_text(world))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {"build", *(each.kind for each in world.obstacles)} <= functions
    assert "utils" in environment_text(world) or not world.has_motion


def test_witness_is_python():
    assert ast.parse(WITNESS).body


def test_worlds_of_different_seeds_levels_and_attempts_differ():
    drawn = [draw(seed, attempt, level).yaml("same") for seed, attempt, level in product(range(24), range(2), LEVELS)]
    digests = {sha256("\n".join(text.splitlines()[3:]).encode()).hexdigest() for text in drawn}
    assert len(digests) == len(drawn) == 144


@given(seeds)
def test_same_seed_draws_the_same_world(seed: int):
    assert draw(seed, 1, 2).yaml("a") == draw(seed, 1, 2).yaml("a")


@given(seeds)
def test_something_moves_in_at_least_five_of_twenty_in_a_row(seed: int):
    assert sum(draw(number, 0, 2).has_motion for number in range(seed, seed + 20)) >= 5


def conversation(*later: BaseMessage, level: int = 2, number: int = 3) -> list[BaseMessage]:
    """Return a conversation of the author, as its prompts have it."""
    brief = f"# Brief\n\n- level: {level}\n- number: {number}\n\n~~~~text\n- number: 77\n~~~~"
    return [SystemMessage("# Role: benchmark-generator\n\nInvent."), HumanMessage(brief), *later]


def test_author_plans_then_writes_and_draws_again_after_each_refusal():
    plan = reply(conversation())
    planned = read_plan(Message(author="assistant", text=plan.text))
    assert isinstance(planned, str)
    assert planned.startswith("# Benchmark plan\n")
    approved = HumanMessage("# The plan is approved\n\nfine")
    first = reply(conversation(plan, approved))
    again = reply(conversation(plan, approved, first, HumanMessage("# The draft is refused\n\nseed 2")))
    files = [read_files(Message(author="assistant", text=each.text), BenchmarkFiles()) for each in (first, again)]
    assert [read_file(each.benchmark_yaml.encode(), FILE).name for each in files] == [
        f"{family_of(3)}-3",
        f"{family_of(3)}-3-2",
    ]
    assert files[0].environment_py != ""
    assert files[0].witness_py == WITNESS


def test_number_in_the_users_text_does_not_count():
    text = reply(conversation(AIMessage("plan"), HumanMessage("# The plan is approved"))).text
    assert f"name: {family_of(3)}-3\n" in text


def test_conversation_without_a_brief_is_refused():
    with pytest.raises(NoBriefError):
        reply([SystemMessage("# Role: benchmark-generator\n"), HumanMessage("hello")])


def test_every_family_takes_its_turn():
    assert [family_of(number) for number in range(len(FAMILIES))] == list(FAMILIES)
