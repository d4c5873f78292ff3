"""What prompts name in a scene: exact label, then alias, colour and material, then common words."""

# ruff: noqa: SIM905 - long lists of words are easier to read as text

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from contracts.events.perception import BoxPrompt, PixelPoint, PointsPrompt, TextPrompt
from contracts.models.questions.spatial_scene import SceneObject, SpatialScene
from spatial.arrays import Bools

from perception_worker.results import RefusedError
from perception_worker.simulator.renderer import ObjectNumbers
from perception_worker.simulator.scene_model import BACKGROUND, FLOOR

EXACT, TABLE, OVERLAP, ANYTHING = 1.0, 0.9, 0.6, 0.5
"""Scores: the label itself, all words known of the object, a share of them, and words for any object."""
COLORS = frozenset(
    "red green blue yellow orange purple pink brown black white gray grey cyan magenta beige gold silver".split()
)
FILLER = frozenset("a an the of all each every any some visible object thing item".split())
FLOOR_NAMES = frozenset({"floor", "ground", "floor surface", "ground surface", "ground floor surface"})
MIN_BOX_IOU = 0.1


class Match(NamedTuple):
    """An object that a prompt names."""

    number: int
    score: float


def text_matches(scene: SpatialScene, prompt: TextPrompt) -> list[Match]:
    """Return the objects that a text names, only those of the best kind of match."""
    words = _words(prompt.text)
    if prompt.text.strip().casefold() in FLOOR_NAMES:
        return [Match(FLOOR, EXACT)]
    if not words:
        return [Match(number, ANYTHING) for number, _ in enumerate(scene.objects, FLOOR + 1)]
    scored = [Match(number, _score(thing, prompt.text, words)) for number, thing in enumerate(scene.objects, FLOOR + 1)]
    for limit in (EXACT, TABLE):
        best = [match for match in scored if match.score >= limit]
        if best:
            return best
    return [match for match in scored if match.score > 0]


def points_match(objects: ObjectNumbers, prompt: PointsPrompt) -> list[Match]:
    """Return the object that most foreground points are on, unless a background point is on it as well."""
    excluded = {_object_at(objects, point) for point in prompt.background}
    chosen = [_object_at(objects, point) for point in prompt.foreground]
    left = [number for number in chosen if number != BACKGROUND and number not in excluded]
    if not left:
        return []
    number = max(sorted(set(left)), key=left.count)
    return [Match(number, left.count(number) / len(chosen))]


def box_match(objects: ObjectNumbers, prompt: BoxPrompt) -> list[Match]:
    """Return the object whose visible pixels have the bounding box that overlaps the box most."""
    overlaps = {int(number): _box_iou(objects == number, prompt) for number in np.unique(objects) if number > FLOOR}
    if not overlaps:
        return []
    number = max(overlaps, key=lambda each: overlaps[each])
    return [Match(number, overlaps[number])] if overlaps[number] >= MIN_BOX_IOU else []


def _score(thing: SceneObject, text: str, words: Sequence[str]) -> float:
    names = {name.strip().casefold() for name in (thing.label, *thing.aliases)}
    if text.strip().casefold() in names or " ".join(words) in {" ".join(_words(name)) for name in names}:
        return EXACT
    known = {word for name in (*names, thing.color, thing.material) for word in _words(name)}
    common = set(words) & known
    if common == set(words):
        return TABLE
    if (set(words) & COLORS) - known or common <= COLORS:  # of another colour, or alike in nothing else
        return 0.0
    return OVERLAP * len(common) / len(set(words))


def _words(text: str) -> list[str]:
    """Return the words that tell objects apart, in the singular."""
    words = [_singular(word) for word in re.findall(r"[a-z0-9]+", text.casefold())]
    return [word for word in words if word not in FILLER]


def _singular(word: str) -> str:
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _object_at(objects: ObjectNumbers, point: PixelPoint) -> int:
    height, width = objects.shape
    column, row = round(point[0]), round(point[1])
    if not (0 <= column < width and 0 <= row < height):
        raise RefusedError(
            "invalid_prompt", f"the point ({point[0]:g}, {point[1]:g}) is outside the image of {width} x {height} px"
        )
    return int(objects[row, column])


def _box_iou(mask: Bools, prompt: BoxPrompt) -> float:
    rows, columns = np.nonzero(mask)
    x1, y1, x2, y2 = prompt.box
    own = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    width, height = min(x2, own[2]) - max(x1, own[0]), min(y2, own[3]) - max(y1, own[1])
    common = max(0.0, float(width)) * max(0.0, float(height))
    areas = (x2 - x1) * (y2 - y1) + (own[2] - own[0]) * (own[3] - own[1])
    return common / (float(areas) - common)
