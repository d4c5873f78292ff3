"""Questions for directions: as a camera sees them, as an object would, and in depth."""

from itertools import pairwise, permutations

import numpy as np
from contracts.models.questions.spatial_scene import FrameState, SpatialScene
from spatial.arrays import Floats

from questions.generator.drafts import QuestionDraft, choice, count, listed
from questions.generator.rotation_matrices import rotation_of
from questions.generator.scenery import (
    RING_CAMERAS,
    RING_HEIGHT_M,
    RING_RADIUS_M,
    Scenery,
    Thing,
    camera,
    require_margin,
)

SIDE_MARGIN_M, DEPTH_MARGIN_M = 0.15, 0.15


def by_camera(random: np.random.Generator, level: int) -> QuestionDraft:
    """Left or right in the first image; with depth in another one; in how many images it is on the left."""
    scenery = Scenery(random)
    scenery.add_all((3, 5, 5)[level - 1])
    scene = scenery.seen_from_around() if level < 3 else _seen_from_anywhere(scenery)
    first, second = scenery.pick(2)
    if level == 3:
        sides = [_from_camera(scene, state, first, second)[0] for state in range(len(scene.states))]
        for side in sides:
            require_margin(side, 0, SIDE_MARGIN_M / 2)
        text = f"In how many of the images is the {first.name} to the left of the {second.name}?"
        return count(text, sum(bool(side < 0) for side in sides), scene)
    image = 1 if level == 1 else int(random.integers(2, len(scene.states) + 1))
    right, _, far = _from_camera(scene, image - 1, first, second)
    require_margin(right, 0, SIDE_MARGIN_M)
    side = "left" if right < 0 else "right"
    seen = f"Seen by the camera of image {image}, where is the {first.name} relative to the {second.name}?"
    if level == 1:
        return choice(seen, ("left", "right"), side, scene)
    require_margin(far, 0, DEPTH_MARGIN_M)
    choices = ("left and nearer", "left and farther", "right and nearer", "right and farther")
    return choice(seen, choices, f"{side} and {'farther' if far > 0 else 'nearer'}", scene)


def by_object(random: np.random.Generator, level: int) -> QuestionDraft:
    """Left or right of an observer at one object who faces another; in which quarter; how many are on the left."""
    scenery = Scenery(random)
    scenery.add_all((3, 5, 6)[level - 1])
    scene = scenery.seen_from_around()
    at, faced, asked = scenery.pick(3)
    standing = f"Imagine standing at the {at.name} and facing the {faced.name}."
    if level == 3:
        sides = [_from_object(at, faced, other)[0] for other in scenery.things if other not in (at, faced)]
        for side in sides:
            require_margin(side, 0, SIDE_MARGIN_M / 2)
        text = f"{standing} How many of the other objects are to your left?"
        return count(text, sum(side < 0 for side in sides), scene)
    right, ahead = _from_object(at, faced, asked)
    require_margin(right, 0, SIDE_MARGIN_M)
    side = "left" if right < 0 else "right"
    if level == 1:
        return choice(f"{standing} Is the {asked.name} to your left or right?", ("left", "right"), side, scene)
    text = f"{standing} Where is the {asked.name}?"
    require_margin(ahead, 0, SIDE_MARGIN_M)
    choices = ("front left", "front right", "back left", "back right")
    return choice(text, choices, f"{'front' if ahead > 0 else 'back'} {side}", scene)


def depth_order(random: np.random.Generator, level: int) -> QuestionDraft:
    """Which is nearer to a camera: of two, of four, and the order of three."""
    scenery = Scenery(random)
    scenery.add_all((3, 5, 6)[level - 1])
    scene = scenery.seen_from_around()
    things = scenery.pick((2, 4, 3)[level - 1])
    image = int(random.integers(1, len(scene.states) + 1))
    away = {thing.name: _camera_distance_m(scene, image - 1, thing) for thing in things}
    ordered = sorted(away, key=lambda name: away[name])
    for near, far in pairwise(ordered):
        require_margin(away[near], away[far], DEPTH_MARGIN_M / (2 if level == 3 else 1))
    if level < 3:
        names = [f"the {thing.name}" for thing in things]
        text = f"Which center is nearest to the camera of image {image}: that of {listed(names)}?"
        return choice(text, names, f"the {ordered[0]}", scene)
    orders = [", ".join(names) for names in permutations([thing.name for thing in things])]
    named = ", ".join(f"the {thing.name}" for thing in things)
    text = f"Order by the distance of their centers from the camera of image {image}, nearest first: {named}."
    return choice(text, orders, ", ".join(ordered), scene)


def _seen_from_anywhere(scenery: Scenery) -> SpatialScene:
    """Return the scene with cameras on any side of it: from opposite ones, sides are swapped."""
    angles = scenery.random.uniform(0, 2 * np.pi, RING_CAMERAS)
    places = [
        (float(RING_RADIUS_M * np.cos(each)), float(RING_RADIUS_M * np.sin(each)), RING_HEIGHT_M) for each in angles
    ]
    return scenery.scene([FrameState(camera=camera(place)) for place in places])


def _from_camera(scene: SpatialScene, state: int, thing: Thing, other: Thing) -> Floats:
    """Return how far a thing is right of, below and behind another one, as a camera sees it, (3,) in m."""
    pose = scene.states[state].camera.pose
    return (thing.center_m - other.center_m) @ rotation_of(pose.quaternion)


def _from_object(at: Thing, faced: Thing, asked: Thing) -> tuple[float, float]:
    """Return how far something is to the right and ahead of a view from one object to another, in m."""
    ahead = (faced.center_m - at.center_m)[:2]
    ahead = ahead / np.linalg.norm(ahead)
    to = (asked.center_m - at.center_m)[:2]
    return float(to @ np.array([ahead[1], -ahead[0]])), float(to @ ahead)


def _camera_distance_m(scene: SpatialScene, state: int, thing: Thing) -> float:
    return float(np.linalg.norm(thing.center_m - np.array(scene.states[state].camera.pose.position_m)))
