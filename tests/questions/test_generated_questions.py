"""Generated sets, their exact answers, and what the expert makes of them."""

import re
from dataclasses import replace

import pytest
from contracts.models.questions.answers import ValidAnswer, check_answer
from contracts.models.questions.frames import Noise
from offline_expert.questions.plain_words import in_plain_words
from offline_expert.questions.solver import UnknownQuestionError, solver_cells
from perception_worker.simulator.backend import SimulatorBackend
from questions.generator.question_set import KINDS, LEVELS, generate, numbered
from questions.items import GeneratedQuestion
from questions.scorers import score

from tests.support.questions.answered import answer_of

NOISES = (0.0, 0.01, 0.3)
NOISY = [(kind, seed) for kind in ("distance", "size") for seed in range(3)]
SMALL = {"width_px": 240, "height_px": 180}


def small(asked: GeneratedQuestion) -> GeneratedQuestion:
    """Return the question with smaller frames, which are rendered sooner."""
    return replace(asked, scene=asked.scene.model_copy(update=SMALL))


def test_set_has_all_kinds_in_three_levels():
    questions = [numbered(number, seed=1) for number in range(len(KINDS) * len(LEVELS))]
    assert len(KINDS) >= 10
    assert {(each.item.kind, each.item.level) for each in questions} == {
        (kind, level) for kind in KINDS for level in LEVELS
    }
    assert len({each.item.id for each in questions}) == len(questions)
    for each in questions:
        assert isinstance(check_answer(each.item.answer, each.item.exact), ValidAnswer)
        assert score(each.item, each.item.exact) == 1.0
        assert len(solver_cells(in_plain_words(each.item.text))) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_gives_the_same_question_and_another_seed_another(kind: str):
    assert generate(kind, 1, 5) == generate(kind, 1, 5)
    assert generate(kind, 1, 5).scene != generate(kind, 1, 6).scene


@pytest.mark.parametrize("kind", ["contact", "containment", "visibility", "fits_through"])
def test_yes_and_no_both_occur(kind: str):
    answers = [generate(kind, 1, seed).item.exact for seed in range(20)]
    assert 4 <= sum(map(bool, answers)) <= 16


def test_question_text_does_not_contain_its_exact_answer():
    for each in (numbered(number, seed=3) for number in range(12)):
        if isinstance(each.item.exact, float):
            assert not any(
                abs(float(found) - each.item.exact) < 1e-3 for found in re.findall(r"\d+\.\d+", each.item.text)
            )


def test_unknown_kind_and_question_are_refused():
    with pytest.raises(ValueError, match="no question of kind 'taste' and level 1"):
        generate("taste", 1, 0)
    with pytest.raises(UnknownQuestionError, match="no rule for the question 'What colour"):
        solver_cells("What colour is the sky?")


@pytest.mark.sample(4)
@pytest.mark.parametrize(("number", "kind"), list(enumerate(KINDS)))
def test_expert_answers_each_kind_from_text_and_perception(backend: SimulatorBackend, number: int, kind: str):
    asked = generate(kind, LEVELS[number % 3], 40)
    assert score(asked.item, answer_of(backend, asked)) == 1.0


@pytest.mark.full
def test_accuracy_falls_monotonically_with_noise(backend: SimulatorBackend):
    asked = [small(generate(kind, 1, seed)) for kind, seed in NOISY]
    scores = [
        sum(
            score(each.item, answer_of(backend, each, Noise(depth_relative=noise, position_m=noise / 2, seed=1)))
            for each in asked
        )
        for noise in NOISES
    ]
    assert scores[0] == len(asked)
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < scores[0] / 2
