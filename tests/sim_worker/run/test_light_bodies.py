"""A payload on loose bodies that are lighter or heavier than itself: rests on each, and is not called inside it."""

from collections.abc import Callable
from itertools import product
from math import prod

import numpy as np
import pytest
from contracts.models.benchmark import Payload
from contracts.models.scene import Body, Scene
from sim_worker.model import compile_scene
from sim_worker.simulator import NominalRun, run_nominal

from tests.sim_worker import scenes

SIZE_MM, DENSITY = 40.0, 7850.0
BALL_KG = DENSITY * np.pi / 6 * (SIZE_MM / 1000) ** 3
RATIOS = (0.5, 2.0, 6.0, 8.5, 20.0, 60.0)
STACK_RATIO = 20.0
"""From 25 on, a blow makes stacks of eight fall apart: see docs/physics.md."""
FLOOR = scenes.block("ground", (0, 0, -10), (900, 900, 20), "environment")
FAR = scenes.box((300, 300, 5), (320, 320, 60))


def slab(label: str, center_mm: tuple[float, float, float], size_mm: tuple[float, float, float], kg: float) -> Body:
    return scenes.solid(label, center_mm, size_mm, kg / prod(size_mm) * 1e9)


def world(top_mm: float, drop_mm: float, *bodies: Body, **changes: object) -> Scene:
    """Return a world in which a steel ball falls onto bodies whose upper side is as high."""
    start_mm = (0.0, 0.0, top_mm + SIZE_MM / 2 + drop_mm)
    ball = Payload(
        label="payload", shape="ball", size_mm=SIZE_MM, start_mm=start_mm, density_kg_m3=DENSITY, friction=0.4
    )
    return scenes.empty_scene(ball, bodies=(FLOOR, *bodies), goal_zone=FAR, **changes)


def plate(ratio: float, drop_mm: float) -> Scene:
    return world(4.0, drop_mm, slab("plate", (0, 0, 2), (80, 80, 4), BALL_KG / ratio))


def flap(ratio: float, drop_mm: float) -> Scene:
    """A leaf on a hinge at a block, whose other end lies on a step."""
    post = scenes.block("post", (-70, 0, 20), (20, 80, 40), "environment")
    step = scenes.block("step", (60, 0, 13), (20, 80, 26), "environment")
    leaf = slab("leaf", (8, 0, 28), (124, 60, 4), BALL_KG / ratio)
    hinge = scenes.joint("hinge", "revolute", "post", "leaf", (-57, 0, 28))
    return world(30.0, drop_mm, post, step, leaf, joints=(hinge,), touching=(("leaf", "post"),))


def tray(ratio: float, drop_mm: float) -> Scene:
    """A loose tray of a floor and four walls that are glued to it."""
    kg = BALL_KG / ratio / 5
    floor = slab("floor", (0, 0, 2), (90, 90, 4), kg)
    walls = [
        slab(f"wall_{name}", (x, y, 14), (4, 90, 20) if x else (82, 4, 20), kg)
        for name, x, y in (("a", -43, 0), ("b", 43, 0), ("c", 0, -43), ("d", 0, 43))
    ]
    glue = tuple(scenes.weld(each.label, "floor", each.label, each.mass.center_mm) for each in walls if each.mass)
    return world(4.0, drop_mm, floor, *walls, welds=glue)


def stack(ratio: float, drop_mm: float) -> Scene:
    """Eight loose plates on each other."""
    plates = [slab(f"plate_{n}", (0, 0, 3 + 6 * n), (70, 70, 6), BALL_KG / ratio) for n in range(8)]
    return world(48.0, drop_mm, *plates)


def ran(scene: Scene) -> NominalRun:
    return run_nominal(compile_scene(scene))


CASES = [
    (kind, ratio, drop_mm)
    for kind, ratio, drop_mm in product((plate, flap, tray, stack), RATIOS, (1.0, 100.0))
    if kind is not stack or ratio <= STACK_RATIO
]


@pytest.mark.sample(12)
@pytest.mark.parametrize(("kind", "ratio", "drop_mm"), CASES)
def test_ball_on_a_loose_body_of_any_mass_is_not_inside_it(
    kind: Callable[[float, float], Scene], ratio: float, drop_mm: float
) -> None:
    """The ball is so many times as heavy; a limit in proportion to its mass alone failed it from 6 on."""
    done = ran(kind(ratio, drop_mm))
    assert done.result.ending == "missed_goal", done.result.cause
    assert done.readings.depth_m[-1].max() < 0.00015
