"""Generated question sets: every kind and level, the same for the same seed."""

import re
from collections.abc import Mapping

import numpy as np

from questions.generator import directions, measures, motions, relations
from questions.generator.drafts import Draw, QuestionDraft
from questions.generator.scenery import FPS, AmbiguousError
from questions.items import GeneratedQuestion, QuestionItem

RARE_WORDS = {
    "red": "crimson", "green": "emerald", "blue": "azure", "yellow": "golden", "purple": "violet",
    "orange": "tangerine", "black": "ebony", "white": "ivory", "brown": "chestnut",
    "ball": "orb", "box": "crate", "cylinder": "drum",
}  # fmt: skip
_NAME = re.compile(r"\b(red|green|blue|yellow|purple|orange|black|white|brown) (ball|box|cylinder)\b")


def reworded(text: str) -> str:
    """Return a question with rare words in every name of an object."""
    return _NAME.sub(lambda found: f"{RARE_WORDS[found[1]]} {RARE_WORDS[found[2]]}", text)


SOURCE = "simulated"
MAX_DRAWS = 200
"""Scenes that are drawn until one has a clear answer."""

KINDS: Mapping[str, Draw] = {
    "distance": measures.distance,
    "size": measures.size,
    "count": measures.amount,
    "fits_through": measures.fits_through,
    "direction_by_camera": directions.by_camera,
    "direction_by_object": directions.by_object,
    "depth_order": directions.depth_order,
    "motion": motions.motion,
    "speed": motions.speed,
    "visibility": relations.visibility,
    "contact": relations.contact,
    "containment": relations.containment,
}
LEVELS = (1, 2, 3)
"""1: one measurement. 2: several, or a choice among many. 3: a search or a loop over objects or frames, and objects
have rare names: perception finds nothing by them, so that an agent has to see that and ask with others."""


def generate(kind: str, level: int, seed: int) -> GeneratedQuestion:
    """Return the question of a kind and level that a seed draws; raise `ValueError` for an unknown kind or level."""
    if kind not in KINDS or level not in LEVELS:
        raise ValueError(f"no question of kind {kind!r} and level {level}; kinds: {', '.join(KINDS)}, levels 1 to 3")
    number = list(KINDS).index(kind)
    for draw in range(MAX_DRAWS):
        try:
            return _question(KINDS[kind](np.random.default_rng([seed, number, level, draw]), level), kind, level, seed)
        except AmbiguousError:
            continue
    raise ValueError(f"{MAX_DRAWS} scenes for {kind}, level {level}, seed {seed} have no clear answer")


def numbered(number: int, seed: int = 0) -> GeneratedQuestion:
    """Return one question of the set that a seed draws: by its number every kind and level in turn."""
    cells = [(kind, level) for level in LEVELS for kind in KINDS]
    kind, level = cells[number % len(cells)]
    return generate(kind, level, seed + number // len(cells))


def _question(draft: QuestionDraft, kind: str, level: int, seed: int) -> GeneratedQuestion:
    item = QuestionItem(
        id=f"{kind}-{level}-{seed}",
        source=SOURCE,
        kind=kind,
        level=level,
        text=reworded(draft.text) if level == LEVELS[-1] else draft.text,
        answer=draft.answer,
        exact=draft.exact,
        scorer=draft.scorer,
        is_video=draft.is_video,
        fps=FPS if draft.is_video else None,
        total_frames=len(draft.scene.states),
    )
    return GeneratedQuestion(item, draft.scene)
