"""The rule-based author: its worlds parse, differ, move in time, and follow from their seed alone."""

import ast
from hashlib import sha256
from itertools import product

import pytest
from artifacts.port import reference
from benchmark_generator.replies import read_plan
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import CODE_TYPE, FILE, read_file
from benchmarks.variant import extreme_variants, make_variant
from contracts.models.conversation import Message
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.author.environment_text import environment_text
from offline_expert.author.families import FAMILIES, draw, family_of
from offline_expert.author.policy import NoBriefError
from offline_expert.author.witness_text import WITNESS
from offline_expert.author.words import BriefReading, inexpressible, read_brief, understood
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


WORKSPACE = HumanMessage("# Workspace\n\n`benchmark.yaml`")
RAN, FAILED = "# Observation of cell 1\n\n**The cell ran** (0.1 s).", "**The cell failed** (0.1 s)."


def after(messages: list[BaseMessage], *answers: str) -> tuple[list[BaseMessage], AIMessage]:
    """Return the conversation after these answers to the last calls of the author's replies, and its next reply."""
    for answer in answers:
        done = reply(messages)
        messages = [*messages, done, ToolMessage(answer, tool_call_id=str(done.tool_calls[-1]["id"]))]
    return messages, reply(messages)


def written(message: AIMessage) -> dict[str, str]:
    """Return the files that a reply writes, by path."""
    return {call["args"]["path"]: call["args"]["text"] for call in message.tool_calls if call["name"] == "write_file"}


def last_code(message: AIMessage) -> str:
    """Return the cell of a reply."""
    return str(message.tool_calls[-1]["args"]["code"])


def test_author_plans_then_creates_tests_and_submits():
    plan = reply(conversation())
    planned = read_plan(Message(author="assistant", text=plan.text))
    assert isinstance(planned, str)
    assert planned.startswith("# Benchmark plan\n")
    messages, first = after(conversation(plan, HumanMessage("# The plan is approved\n\nfine"), WORKSPACE))
    assert read_file(written(first)["benchmark.yaml"].encode(), FILE).name == f"{family_of(3)}-3"
    assert written(first)["witness.py"] == WITNESS
    assert "create()" in last_code(first)
    messages, second = after(messages, RAN)
    assert "test(seeds=(0,))" in last_code(second)
    _, third = after(messages, RAN)
    assert "submit_for_review()" in last_code(third)
    assert "todo.check(item.id)" in last_code(third)
    assert "journal.add(" in last_code(third)


@pytest.mark.parametrize(
    "answers",
    [(FAILED,), (RAN, FAILED), (RAN, RAN, FAILED), (RAN, RAN, "# The draft is refused\n\nseed 2")],
    ids=["create", "test", "submission", "verdict"],
)
def test_author_draws_again_after_each_failure(answers: tuple[str, ...]):
    _, again = after(conversation(AIMessage("plan"), WORKSPACE), *answers)
    assert read_file(written(again)["benchmark.yaml"].encode(), FILE).name == f"{family_of(3)}-3-2"


def test_number_in_the_users_text_does_not_count():
    _, first = after(conversation(AIMessage("plan"), WORKSPACE))
    assert f"name: {family_of(3)}-3\n" in written(first)["benchmark.yaml"]


def test_conversation_without_a_brief_is_refused():
    with pytest.raises(NoBriefError):
        reply([SystemMessage("# Role: benchmark-generator\n"), HumanMessage("hello")])


def test_every_family_takes_its_turn():
    assert [family_of(number) for number in range(len(FAMILIES))] == list(FAMILIES)


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("a gap", ("gap",)),
        ("a ball must get over a ditch", ("gap",)),
        ("a pendulum guards a wall", ("swinging-gate", "high-wall")),
        ("a piston moves back and forth", ("shuttle",)),
        ("bring it home", ()),
    ],
)
def test_families_are_read_by_their_words(text: str, families: tuple[str, ...]):
    assert read_brief(text).families == families


@given(seeds, st.sampled_from(LEVELS), st.sampled_from(sorted(FAMILIES)))
def test_named_family_is_drawn_under_every_seed(seed: int, level: int, family: str):
    file = read_file(
        draw(seed, 0, level, BriefReading((family, "high-wall"), {"ball": 30.0})).yaml("world").encode(), FILE
    )
    assert (file.title, file.payload and file.payload.size_mm) == (family.replace("-", " ").capitalize(), 30)


def test_what_cannot_be_expressed_is_named():
    (reads, *_, left_out) = understood("Lift a cube of 80 mm over a hard wall and a shelf", 1)
    assert "high-wall at level 1" in reads
    for word in ("cube", "lift", "80 mm", "shelf"):
        assert word in left_out
    assert "names no family" in understood("bring it home", 2)[0]


def test_length_of_a_climb_is_not_the_balls():
    assert read_brief("a ball must climb 300 mm over a gap of 60 mm").left_out == ("climb", "300 mm")
    assert read_brief("lift a ball by 40 mm to a shelf").lengths_mm == {}


def test_size_of_the_ball_and_level_are_read():
    assert read_brief("an easy gap for a ball of 3 cm") == BriefReading(("gap",), {"ball": 30.0}, 1)


@pytest.mark.parametrize(
    ("text", "lengths_mm"),
    [
        ("a gap of 200 mm", {"gap": 200}),
        ("a ball of 40 mm must cross a 15 cm wide ditch", {"ball": 40, "gap": 150}),
        ("a wall that is 120 mm high, the goal is 0.4 m away", {"high-wall": 120, "distance": 400}),
        ("an easy wall, 100 mm high", {"high-wall": 100}),
        ("over a 90 mm wall with a 35 mm marble", {"high-wall": 90, "ball": 35}),
        ("ball, 35 mm; ravine, 8 cm; level 2", {"ball": 35, "gap": 80}),
    ],
)
def test_lengths_are_read_beside_what_they_are_of(text: str, lengths_mm: dict[str, float]):
    reading = read_brief(text)
    assert (dict(reading.lengths_mm), reading.left_out) == (lengths_mm, ())


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("a gap of 900 mm", "gap 900 mm (only 40 to 200 mm)"),
        ("a ball of 12 mm", "ball 12 mm (only 28 to 42 mm)"),
        ("a gap for 3 balls", "3"),
        ("a steel ball must cross a gap", "steel"),
        ("two small balls cross a gap", "two"),
        ("a gap for 20 USD", "20 usd"),
        ("a gap of level 5", "5"),
        ("a gap of 100 mm, the goal 500 mm away", "distance 500 mm beside the gap's length, which determines it"),
    ],
)
def test_number_that_worlds_cannot_have_is_refused(text: str, refused: str):
    assert inexpressible(text, 2) == [refused]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("a robot juggles torches", ["robot", "juggles", "torches"]),
        ("there is no wall", ["no"]),
        ("the goal is above the start", ["above"]),
        ("the ball must not touch the floor", ["not", "touch"]),
        ("a slalom round three posts", ["three"]),
        ("une bille passe", ["une", "bille", "passe"]),
        ("bring the ball to its goal", []),
    ],
)
def test_every_word_that_the_author_does_not_know_is_refused(text: str, unknown: list[str]):
    assert inexpressible(text, 2) == unknown


@given(seeds, st.sampled_from(LEVELS), st.floats(40, 200))
def test_world_has_the_gap_and_the_wall_that_are_asked_for(seed: int, level: int, size: float):
    gap = next(
        each for each in draw(seed, 0, level, BriefReading(("gap",), {"gap": size})).closed if "gap" in each.label
    )
    assert gap.high[0] - gap.low[0] == pytest.approx(size, abs=0.5)
    walled = draw(seed, 0, level, BriefReading(("high-wall",), {"high-wall": size, "distance": 400.0}))
    (wall, *_) = (each for each in walled.obstacles if each.name.startswith("wall"))
    assert wall.high[2] == pytest.approx(size)
    way = (end - begin for begin, end in zip(walled.start[:2], walled.goal_centre[:2], strict=True))
    assert sum(each**2 for each in way) ** 0.5 == pytest.approx(400.0)
