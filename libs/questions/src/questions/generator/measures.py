"""Questions for measures: distance, size, count, and what fits through a gap."""

import numpy as np
from contracts.models.geometry import Vector

from questions.generator.drafts import QuestionDraft, count, number, truth
from questions.generator.scenery import AmbiguousError, Scenery, Thing, distance_m, require_margin

SIZES = (3, 5, 7)
"""Objects in a scene, by level."""


def distance(random: np.random.Generator, level: int) -> QuestionDraft:
    """How far things are apart: two of a few, the closest one of many, the farthest pair."""
    scenery = Scenery(random)
    scenery.add_all(SIZES[level - 1])
    scene = scenery.seen_from_around()
    first, second = scenery.pick(2)
    if level == 1:
        text = f"How far apart are the centers of the {first.name} and the {second.name}, in metres?"
        return number(text, "m", distance_m(first, second), scene)
    if level == 2:
        nearest = min(distance_m(first, other) for other in scenery.things if other is not first)
        text = f"How far is the center of the {first.name} from the center of the object nearest to it, in metres?"
        return number(text, "m", nearest, scene)
    pairs = [distance_m(one, other) for one in scenery.things for other in scenery.things]
    return number("How far apart are the centers of the two objects farthest apart, in metres?", "m", max(pairs), scene)


def size(random: np.random.Generator, level: int) -> QuestionDraft:
    """How large things are: a height, the longer side of a turned box, the widest of several."""
    scenery = Scenery(random)
    scenery.add("box")
    scenery.add_all(SIZES[level - 1] - 1)
    if level == 3:
        scenery.add("cylinder")
        scenery.add("cylinder")
    scene = scenery.seen_from_around()
    if level == 1:
        thing = scenery.pick(1)[0]
        return number(f"How tall is the {thing.name}, in metres?", "m", thing.size_m[2], scene)
    if level == 2:
        thing = scenery.pick(1, "box")[0]
        longer = max(thing.size_m[:2])
        return number(f"How long is the longer horizontal side of the {thing.name}, in metres?", "m", longer, scene)
    widest = max(thing.size_m[0] for thing in scenery.things if thing.kind == "cylinder")
    return number("What is the diameter of the widest cylinder, in metres?", "m", widest, scene)


def amount(random: np.random.Generator, level: int) -> QuestionDraft:
    """How many there are: of a kind, taller than a limit, within reach of one."""
    scenery = Scenery(random)
    scenery.add("ball")
    scenery.add_all(SIZES[level - 1] + 1)
    scene = scenery.seen_from_around()
    if level == 1:
        kind = str(random.choice(sorted({thing.kind for thing in scenery.things})))
        plural = "boxes" if kind == "box" else f"{kind}s"
        return count(f"How many {plural} are there?", sum(each.kind == kind for each in scenery.things), scene)
    if level == 2:
        limit = 0.35
        for thing in scenery.things:
            require_margin(thing.size_m[2], limit, 0.03)
        tall = sum(thing.size_m[2] > limit for thing in scenery.things)
        return count(f"How many objects are taller than {limit:.2f} m?", tall, scene)
    first, radius = scenery.pick(1)[0], 1.0
    others = [distance_m(first, other) for other in scenery.things if other is not first]
    for each in others:
        require_margin(each, radius, 0.05)
    of = f"the center of the {first.name}, itself not counted"
    text = f"How many objects have their center within {radius:.2f} m of {of}?"
    return count(text, sum(each < radius for each in others), scene)


def fits_through(random: np.random.Generator, level: int) -> QuestionDraft:
    """Whether something fits between two pillars: a ball, a box without turning over, how many balls."""
    scenery = Scenery(random)
    gap_m = float(random.uniform(0.24, 0.40))
    for side, label in ((-1, "gray pillar 1"), (1, "gray pillar 2")):
        center = np.array([0.0, side * (gap_m / 2 + 0.1), 0.4])
        scenery.put(Thing(label, "box", (0.2, 0.2, 0.8), center))
    kinds = ("ball", "box", "ball")
    for _ in range((1, 2, 4)[level - 1]):
        scenery.add(kinds[level - 1], _passing_size(random, kinds[level - 1]))
    scene = scenery.seen_from_around()
    passing = [thing for thing in scenery.things if not thing.name.startswith("gray")]
    for thing in passing:
        require_margin(min(thing.size_m[:2]), gap_m, 0.04)
    if level == 3:
        fitting = sum(thing.size_m[0] < gap_m for thing in passing)
        return count("How many of the balls would fit through the gap between the two gray pillars?", fitting, scene)
    thing = passing[0]
    how = "" if level == 1 else ", kept upright and turned as needed"
    text = f"Would the {thing.name} fit through the gap between the two gray pillars{how}?"
    return truth(text, exact=min(thing.size_m[:2]) < gap_m, scene=scene)


def _passing_size(random: np.random.Generator, kind: str) -> Vector:
    x, y, z = (float(value) for value in random.uniform((0.18, 0.18, 0.2), (0.5, 0.5, 0.4)))
    if kind == "box" and abs(x - y) < 0.05:
        raise AmbiguousError("its sides are alike")
    return (x, x, x) if kind == "ball" else (x, y, z)
