"""Questions for relations: what is visible, what touches, and what is inside."""

from collections.abc import Sequence

import numpy as np
from contracts.models.questions.spatial_scene import FrameState
from spatial.arrays import Floats

from questions.generator.drafts import QuestionDraft, choice, count, listed, number, truth
from questions.generator.motions import FRAMES, LOOKS_FROM
from questions.generator.ray_caster import visible_pixels
from questions.generator.scenery import FPS, AmbiguousError, Scenery, Thing, camera, pose_at

MIN_RAYS = 40
"""Fewer rays than that, but at least one: neither clearly visible nor hidden."""
BIN_SIZE = (0.6, 0.6, 0.14)
HIGH_M = 3.2
"""Height of cameras that look into bins."""
APART_M = (0.15, 0.3)


def visibility(random: np.random.Generator, level: int) -> QuestionDraft:
    """Whether something is visible in an image; in how many; when a ball is first hidden."""
    return _hidden_ball(random) if level == 3 else _visible_in_images(random, level)


def contact(random: np.random.Generator, level: int) -> QuestionDraft:
    """Whether two boxes touch; what a cylinder rests on; how many boxes touch one."""
    scenery = Scenery(random)
    if level == 2:
        return _resting(scenery)
    middle = _block(scenery, np.zeros(2))
    sides = random.permutation(4)[: 1 if level == 1 else 4]
    touching = sum(_neighbour(scenery, middle, int(side)) for side in sides)
    scene = scenery.seen_from_around()
    if level == 1:
        text = f"Does the {middle.name} touch the {scenery.things[1].name}?"
        return truth(text, exact=touching == 1, scene=scene)
    return count(f"How many other boxes touch the {middle.name}?", touching, scene)


def containment(random: np.random.Generator, level: int) -> QuestionDraft:
    """Whether a ball is in a bin; how many are; which of two bins has more."""
    scenery = Scenery(random)
    bins = [_bin(scenery, place) for place in ((-0.6, 0.0), (0.6, 0.0))[: 2 if level == 3 else 1]]
    counts = [sum(_ball_in(scenery, each) for _ in range(int(random.integers(0, 4)))) for each in bins]
    for _ in range(2):
        _loose_ball(scenery, bins)
    scene = scenery.seen_from_around(HIGH_M)
    if level == 3:
        if counts[0] == counts[1]:
            raise AmbiguousError("both have as many")
        fuller = bins[int(np.argmax(counts))]
        names = [f"the {each.name}" for each in bins]
        return choice(f"Which bin has more balls in it: {listed(names)}?", names, f"the {fuller.name}", scene)
    if level == 2:
        return count(f"How many balls are inside the {bins[0].name}?", counts[0], scene)
    ball = scenery.pick(1, "ball")[0]
    inside = bool(np.abs(ball.center_m[:2] - bins[0].center_m[:2]).max() < BIN_SIZE[0] / 2)
    return truth(f"Is the {ball.name} inside the {bins[0].name}?", exact=inside, scene=scene)


def _visible_in_images(random: np.random.Generator, level: int) -> QuestionDraft:
    scenery = Scenery(random)
    center, yaw_rad = np.array([0.0, 0.0, 0.4]), float(random.uniform(0, np.pi))
    wall = scenery.put(Thing("gray wall", "box", (1.6, 0.08, 0.8), center, yaw_rad))
    for _ in range(3):
        _small_ball(scenery, wall)
    scene = scenery.seen_from_around(1.2)
    thing = scenery.pick(1, "ball")[0]
    rays = [visible_pixels(scene, state)[thing.name] for state in range(len(scene.states))]
    if any(0 < each < MIN_RAYS for each in rays):
        raise AmbiguousError("it is partly hidden")
    if level == 2:
        return count(f"In how many of the images is the {thing.name} visible?", sum(each > 0 for each in rays), scene)
    image, wanted = int(random.integers(1, len(rays) + 1)), bool(random.integers(2))
    if (rays[image - 1] > 0) != wanted:
        raise AmbiguousError("the other answer is wanted, for balance")
    return truth(f"Is the {thing.name} visible in image {image}?", exact=wanted, scene=scene)


def _hidden_ball(random: np.random.Generator) -> QuestionDraft:
    """Return a question about a ball that rolls behind a wall."""
    scenery = Scenery(random)
    scenery.put(Thing("gray wall", "box", (0.8, 0.08, 0.9), np.array([0.0, float(random.uniform(-0.2, 0.1)), 0.45])))
    diameter = float(random.uniform(0.15, 0.24))
    side = 1.0 if random.integers(2) else -1.0
    across = side * np.linspace(float(random.uniform(-1.3, -0.8)), float(random.uniform(0.0, 0.9)), FRAMES)
    depth = float(random.uniform(0.5, 0.8))
    centers = np.column_stack([across, np.full(FRAMES, depth), np.full(FRAMES, diameter / 2)])
    ball = scenery.put(Thing(scenery.name("ball"), "ball", (diameter, diameter, diameter), centers[0]))
    seen = camera((LOOKS_FROM[0], LOOKS_FROM[1], 1.0))
    states = [
        FrameState(camera=seen, time_s=frame / FPS, poses={ball.name: pose_at(center)})
        for frame, center in enumerate(centers)
    ]
    scene = scenery.scene(states)
    rays = [visible_pixels(scene, frame)[ball.name] for frame in range(FRAMES)]
    if 0 not in rays or any(0 < each < MIN_RAYS for each in rays[: rays.index(0)]) or rays.index(0) == 0:
        raise AmbiguousError("it is not clear when it is hidden")
    draft = number(
        f"At which time, in seconds, is the {ball.name} completely hidden for the first time?",
        "s",
        rays.index(0) / FPS,
        scene,
        is_video=True,
    )
    spec = draft.answer.model_copy(update={"absolute_tolerance": 0.5 / FPS, "relative_tolerance": 0.0})
    return QuestionDraft(draft.text, spec, draft.exact, draft.scorer, scene, is_video=True)


def _small_ball(scenery: Scenery, wall: Thing) -> None:
    """Put a small ball beside a wall, not in it."""
    diameter = float(scenery.random.uniform(0.12, 0.2))
    along = np.array([np.cos(wall.yaw_rad), np.sin(wall.yaw_rad)])
    across = np.array([-along[1], along[0]])
    side = 1.0 if scenery.random.integers(2) else -1.0
    place = scenery.random.uniform(-0.6, 0.6) * along + side * scenery.random.uniform(0.2, 0.8) * across
    center = np.array([*place, diameter / 2])
    balls = [thing for thing in scenery.things if thing.kind == "ball"]
    if any(np.linalg.norm(center - other.center_m) < 0.35 for other in balls):
        raise AmbiguousError("there is no room")
    scenery.put(Thing(scenery.name("ball"), "ball", (diameter, diameter, diameter), center))


def _block(scenery: Scenery, place: Floats) -> Thing:
    x, y, z = (float(value) for value in scenery.random.uniform((0.3, 0.3, 0.2), (0.45, 0.45, 0.4)))
    return scenery.put(Thing(scenery.name("box"), "box", (x, y, z), np.array([*place, z / 2])))


def _neighbour(scenery: Scenery, middle: Thing, side: int) -> bool:
    """Put a box beside another one, and tell whether they touch."""
    touches = bool(scenery.random.integers(2))
    gap = 0.0 if touches else float(scenery.random.uniform(*APART_M))
    x, y, z = (float(value) for value in scenery.random.uniform((0.2, 0.2, 0.15), (0.28, 0.28, 0.4)))
    axis, sign = side % 2, 1 if side < 2 else -1
    place = middle.center_m[:2].copy()
    place[axis] += sign * (middle.size_m[axis] / 2 + (x, y)[axis] / 2 + gap)
    scenery.put(Thing(scenery.name("box"), "box", (x, y, z), np.array([*place, z / 2])))
    return touches


def _resting(scenery: Scenery) -> QuestionDraft:
    """Return a question about a cylinder on one of three boxes."""
    boxes = [_block(scenery, 0.75 * np.array([np.cos(angle), np.sin(angle)])) for angle in (0.0, 2.1, 4.2)]
    below = boxes[int(scenery.random.integers(3))]
    place = [*below.center_m[:2], below.size_m[2] + 0.12]
    cylinder = scenery.put(Thing(scenery.name("cylinder"), "cylinder", (0.2, 0.2, 0.24), np.array(place)))
    names = [f"the {box.name}" for box in boxes]
    text = f"On which box does the {cylinder.name} rest: {listed(names)}?"
    return choice(text, names, f"the {below.name}", scenery.seen_from_around())


def _bin(scenery: Scenery, place: Sequence[float]) -> Thing:
    return scenery.put(Thing(scenery.name("bin"), "bin", BIN_SIZE, np.array([*place, BIN_SIZE[2] / 2])))


def _ball_in(scenery: Scenery, holder: Thing) -> bool:
    """Put a ball into a bin where there is room; raise `AmbiguousError` if there is none."""
    random, diameter = scenery.random, float(scenery.random.uniform(0.12, 0.16))
    for _ in range(60):
        place = holder.center_m[:2] + random.uniform(-0.18, 0.18, 2)
        center = np.array([*place, 0.02 + diameter / 2])
        others = [thing for thing in scenery.things if thing.kind == "ball"]
        if all(np.linalg.norm(center - other.center_m) > (diameter + other.size_m[0]) / 2 + 0.02 for other in others):
            scenery.put(Thing(scenery.name("ball"), "ball", (diameter, diameter, diameter), center))
            return True
    raise AmbiguousError("the bin is full")


def _loose_ball(scenery: Scenery, bins: Sequence[Thing]) -> None:
    """Put a ball on the floor, clear of the bins."""
    random, diameter = scenery.random, float(scenery.random.uniform(0.12, 0.2))
    for _ in range(60):
        place = random.uniform(-1.2, 1.2, 2)
        center = np.array([*place, diameter / 2])
        clear_of_bins = all(np.abs(place - each.center_m[:2]).max() > BIN_SIZE[0] / 2 + 0.2 for each in bins)
        balls = [thing for thing in scenery.things if thing.kind == "ball"]
        if clear_of_bins and all(np.linalg.norm(center - other.center_m) > 0.3 for other in balls):
            scenery.put(Thing(scenery.name("ball"), "ball", (diameter, diameter, diameter), center))
            return
    raise AmbiguousError("there is no room")
